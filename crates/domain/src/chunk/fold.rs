//! How each event changes a chunk: the only place where one becomes state.

use serde_json::Value;

use super::event::{ChunkMoved, ChunkPromoted, ChunkUpdated, ChunkWritten};
use super::review::Reviews;
use super::state::{Chunk, Superseded};
use super::{Owner, spec};
use crate::event::ChunkEvent;
use crate::task::Broken;
use crate::{ChunkId, Time};

impl Chunk {
    /// The chunk that its first event makes.
    pub fn begun(id: ChunkId, event: &ChunkEvent, seq: u64, at: Time) -> Result<Self, Broken> {
        match event {
            ChunkEvent::ChunkWritten(data) => Ok(Self::written(id, data, seq, at)),
            ChunkEvent::ChunkUpdated(_)
            | ChunkEvent::ChunkSuperseded(_)
            | ChunkEvent::ChunkPromoted(_)
            | ChunkEvent::ChunkMoved(_)
            | ChunkEvent::ChunkPinned(_)
            | ChunkEvent::ChunkUnpinned(_)
            | ChunkEvent::ChunkExpirySet(_)
            | ChunkEvent::ChunkDeleted(_)
            | ChunkEvent::SourceChecked(_)
            | ChunkEvent::ChunkLinked(_)
            | ChunkEvent::ChunkUnlinked(_)
            | ChunkEvent::ChunkReviewed(_)
            | ChunkEvent::FlagDismissed(_) => {
                Err(Broken(format!("a chunk cannot begin with '{}'", event.kind().as_str())))
            }
        }
    }

    pub fn written(id: ChunkId, data: &ChunkWritten, seq: u64, at: Time) -> Self {
        Self {
            id,
            version: 1,
            events: 1,
            chunk_type: data.chunk_type.clone(),
            owner: data.owner.clone(),
            query_key: data.query_key.clone(),
            title: data.title.clone(),
            content: data.content.clone(),
            tags: data.tags.clone(),
            fields: data.fields.clone(),
            audience: data.audience.clone(),
            audience_before: None,
            gotchas: data.gotchas.clone(),
            related: data.related.clone(),
            visibility: data.visibility,
            source: data.source.clone(),
            source_changed_at: None,
            pinned: false,
            expires_at: data.expires_at,
            superseded: None,
            task: data.task,
            deleted: false,
            links: Vec::new(),
            reviews: Reviews::default(),
            created_by: data.by.clone(),
            author: data.by.clone(),
            created_seq: seq,
            created_at: at,
            updated_at: at,
        }
    }

    /// Applies the next event of this chunk's stream. One that cannot follow changes nothing.
    pub fn fold(&mut self, event: &ChunkEvent, at: Time) -> Result<(), Broken> {
        if self.deleted {
            let kind = event.kind().as_str();
            return Err(Broken(format!("'{kind}' cannot happen to chunk {}, deleted", self.id)));
        }
        match event {
            ChunkEvent::ChunkWritten(_) => {
                return Err(Broken(format!("chunk {} was written already", self.id)));
            }
            ChunkEvent::ChunkUpdated(data) => self.update(data, at)?,
            ChunkEvent::ChunkPromoted(data) => self.promote(data, at)?,
            ChunkEvent::ChunkMoved(data) => self.go(data, at)?,
            ChunkEvent::ChunkSuperseded(data) => {
                let (by, reason) = (data.with, data.reason.clone());
                self.superseded = Some(Superseded { by, reason, at });
            }
            ChunkEvent::ChunkPinned(_) => self.pinned = true,
            ChunkEvent::ChunkUnpinned(_) => self.pinned = false,
            ChunkEvent::ChunkExpirySet(data) => self.expires_at = data.expires_at.value(),
            ChunkEvent::ChunkDeleted(_) => self.deleted = true,
            ChunkEvent::SourceChecked(data) => {
                // It is stale from when it was first seen to be.
                let since = self.source_changed_at.unwrap_or(at);
                self.source_changed_at = data.changed.then_some(since);
            }
            ChunkEvent::ChunkLinked(data) => self.links.push(data.link.clone()),
            ChunkEvent::ChunkUnlinked(data) => self.links.retain(|link| link.to != data.to),
            ChunkEvent::ChunkReviewed(data) => self.reviews.add(&data.review, at),
            ChunkEvent::FlagDismissed(_) => self.reviews.dismissed_at = Some(at),
        }
        self.events += 1;
        Ok(())
    }

    fn update(&mut self, data: &ChunkUpdated, at: Time) -> Result<(), Broken> {
        self.enter(data.version)?;
        if let Some(title) = &data.title {
            self.title.clone_from(title);
        }
        if let Some(content) = &data.content {
            self.content.clone_from(content);
        }
        if let Some(tags) = &data.tags {
            self.tags.clone_from(tags);
        }
        if spec::is_resolved(&data.fields) {
            self.audience_before = None;
        } else if spec::is_stopped(&data.fields) {
            self.audience_before.clone_from(&self.audience);
        }
        for change in &data.fields {
            self.fields.insert(change.name.clone(), Value::clone(&change.after));
        }
        if let Some(audience) = &data.audience {
            self.audience = audience.value();
        }
        if let Some(gotchas) = &data.gotchas {
            self.gotchas.clone_from(gotchas);
        }
        if let Some(related) = &data.related {
            self.related.clone_from(related);
        }
        if let Some(visibility) = data.visibility {
            self.visibility = visibility;
        }
        if let Some(source) = &data.source {
            self.source = source.value();
            self.source_changed_at = None;
        }
        self.author = data.by.clone();
        self.updated_at = at;
        Ok(())
    }

    fn promote(&mut self, data: &ChunkPromoted, at: Time) -> Result<(), Broken> {
        self.enter(data.version)?;
        self.owner = data.owner.clone();
        self.chunk_type = data.chunk_type.clone();
        self.query_key = data.query_key.clone();
        self.fields.clone_from(&data.fields);
        // Whom it was aimed at before is not whom it is for now.
        self.audience = None;
        self.author = data.by.clone();
        self.updated_at = at;
        Ok(())
    }

    fn go(&mut self, data: &ChunkMoved, at: Time) -> Result<(), Broken> {
        self.enter(data.version)?;
        self.owner = Owner::Project(data.project);
        self.query_key = data.query_key.clone();
        self.author = data.by.clone();
        self.updated_at = at;
        Ok(())
    }

    fn enter(&mut self, version: u32) -> Result<(), Broken> {
        if version != self.version + 1 {
            let before = self.version;
            return Err(Broken(format!("version {version} of chunk {} follows {before}", self.id)));
        }
        self.version = version;
        Ok(())
    }
}
