//! Claims: how a task gets its one owner, keeps it, and loses it.

use crate::completion::Obstacles;
use crate::duration::Span;
use crate::event::{ClaimExpired, ClaimRenewed, Event, Holder, TaskClaimed, Won};
use crate::lease;
use crate::ownership::{Bearer, authorise};
use crate::project::Project;
use crate::task::Task;
use crate::transition::refuse;
use crate::{Code, Refusal, Status, Time};

/// Who wants a task, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'a> {
    pub agent: &'a str,
    /// The caller's role, for tasks that wait for one.
    pub role: Option<&'a str>,
    pub lease: Option<Span>,
    pub now: Time,
}

/// Whether a holder may lose a task that has not run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steal {
    IfExpired,
    Forced,
}

/// Claims a task by id or from the queue.
pub fn claim(
    task: &Task,
    project: &Project,
    obstacles: &Obstacles,
    request: &Request<'_>,
) -> Result<Vec<Event>, Refusal> {
    let mut events = Vec::new();
    let won = match task.status {
        Status::Ready => Won::Claimed,
        Status::InProgress => {
            may_be_taken_over(task, request)?;
            events.extend(expire(task));
            Won::TakenOver
        }
        Status::Backlog | Status::Blocked | Status::Done | Status::Archived => {
            return Err(refuse(task, "claim", &[Status::Ready]));
        }
    };
    project.refuse_if_frozen()?;
    if task.role.is_some() && task.role.as_deref() != request.role {
        return Err(wrong_role(task));
    }
    obstacles.refuse_claim(task)?;
    events.push(win(task, request, won, None).into());
    Ok(events)
}

/// Takes a held task from its holder, whoever that is.
pub fn steal(
    task: &Task,
    project: &Project,
    how: Steal,
    reason: Option<&str>,
    request: &Request<'_>,
) -> Result<Vec<Event>, Refusal> {
    let Status::InProgress = task.status else {
        return Err(refuse(task, "steal", &[Status::InProgress]));
    };
    if how == Steal::IfExpired && !task.lease_ran_out(request.now) {
        return Err(not_expired(task));
    }
    project.refuse_if_frozen()?;
    let mut events = Vec::new();
    if task.lease_ran_out(request.now) {
        events.extend(expire(task));
    }
    events.push(win(task, request, Won::Stolen, reason).into());
    Ok(events)
}

/// Begins a claim by `set-status in_progress`: an override, so it asks for nothing but an agent.
pub fn set_in_progress(task: &Task, request: &Request<'_>, reason: Option<&str>) -> Event {
    win(task, request, Won::Overridden, reason).into()
}

/// Extends the lease of the present claim. Nothing is recorded while more than two thirds of it
/// are left: a supervisor may call this as often as it likes.
pub fn renew(
    task: &Task,
    bearer: &Bearer,
    lease: Option<Span>,
    now: Time,
) -> Result<Option<Event>, Refusal> {
    let grant = authorise(task, bearer)?;
    let Status::InProgress = task.status else {
        return Err(refuse(task, "renew", &[Status::InProgress]));
    };
    let Some(lease) = lease.or(task.lease_ms.map(Span::from_millis)) else {
        return Err(Refusal::new(
            Code::LeaseRequired,
            format!("the claim of task {} has no lease to repeat", task.id),
        )
        .hint(format!("say how long: windlass task renew {} --lease 30m", task.id))
        .detail("task_id", task.id));
    };
    let same_length = task.lease_ms == Some(lease.as_millis());
    if same_length && renewal_due_in(task, now).is_some_and(|due| due.as_millis() > 0) {
        return Ok(None);
    }
    Ok(Some(
        ClaimRenewed {
            lease_until: now.plus(lease),
            lease_ms: lease.as_millis(),
            authority: grant.authority,
            forced: grant.forced,
        }
        .into(),
    ))
}

/// How long from now until a renewal is recorded; nothing where there is no lease.
pub fn renewal_due_in(task: &Task, now: Time) -> Option<Span> {
    let (until, lease) = task.lease_until.zip(task.lease_ms)?;
    Some(lease::due_in(Span::from_millis(lease), until, now))
}

/// The fact that the lease of a claim ran out, if it did and that is not recorded yet.
pub fn ran_out(task: &Task, now: Time) -> Option<Event> {
    task.lease_ran_out(now).then(|| expire(task)).flatten()
}

/// The fact that the lease ran out, unless it is recorded already.
fn expire(task: &Task) -> Option<Event> {
    let held = task.held()?;
    let lease_until = task.lease_until?;
    (!task.lease_expired).then(|| {
        ClaimExpired { agent: held.agent.to_owned(), fence: held.fence, lease_until }.into()
    })
}

fn win(task: &Task, request: &Request<'_>, won: Won, reason: Option<&str>) -> TaskClaimed {
    TaskClaimed {
        agent: request.agent.to_owned(),
        fence: task.fence + 1,
        won,
        lease_until: request.lease.map(|lease| request.now.plus(lease)),
        lease_ms: request.lease.map(Span::as_millis),
        taken_from: task
            .held()
            .map(|held| Holder { agent: held.agent.to_owned(), fence: held.fence }),
        reason: reason.map(str::to_owned),
    }
}

fn may_be_taken_over(task: &Task, request: &Request<'_>) -> Result<(), Refusal> {
    let Some(held) = task.held() else {
        return Ok(());
    };
    let details = |refusal: Refusal| {
        refusal
            .detail("task_id", task.id)
            .detail("holder", held.agent)
            .detail("fence", held.fence)
            .detail("lease_until", task.lease_until)
    };
    if held.agent == request.agent {
        return Err(details(
            Refusal::new(
                Code::AlreadyHeld,
                format!("{} already holds task {} under fence {}", held.agent, task.id, held.fence),
            )
            .hint(match task.lease_ran_out(request.now) {
                true => format!(
                    "go on with --fence {}, or start a fresh claim: windlass task steal {} --if-expired --agent {}",
                    held.fence, task.id, held.agent
                ),
                false => format!("go on with it under --fence {}", held.fence),
            }),
        ));
    }
    if task.lease_ran_out(request.now) {
        return Ok(());
    }
    let until = match task.lease_until {
        Some(until) => format!("until {until}"),
        None => "without a lease".to_owned(),
    };
    Err(details(
        Refusal::new(
            Code::AlreadyClaimed,
            format!("task {} is held by {} {until}", task.id, held.agent),
        )
        .hint("take another one: windlass task claim --next"),
    ))
}

fn not_expired(task: &Task) -> Refusal {
    let why = match task.lease_until {
        Some(until) => format!("its lease runs until {until}"),
        None => "it is held without a lease".to_owned(),
    };
    Refusal::new(Code::LeaseNotExpired, format!("task {} was not taken: {why}", task.id))
        .hint(format!("take it all the same: windlass task steal {} --force", task.id))
        .detail("task_id", task.id)
        .detail("holder", task.held().map(|held| held.agent))
        .detail("fence", task.fence)
        .detail("lease_until", task.lease_until)
}

fn wrong_role(task: &Task) -> Refusal {
    let role = task.role.as_deref().unwrap_or_default();
    Refusal::new(Code::WrongRole, format!("task {} waits for the role '{role}'", task.id))
        .hint(format!("claim it with --role {role}"))
        .detail("task_id", task.id)
        .detail("role", role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskId;
    use crate::project::samples::project;
    use crate::task::samples::{NOW, claimed_by, created, in_status};

    fn request(agent: &str) -> Request<'_> {
        Request { agent, role: None, lease: Some(Span::from_millis(60_000)), now: NOW }
    }

    fn codes(result: Result<Vec<Event>, Refusal>) -> Result<Vec<&'static str>, Code> {
        result
            .map(|events| events.iter().map(|event| event.kind().as_str()).collect())
            .map_err(|refusal| refusal.code)
    }

    fn leased(agent: &str, until: Time) -> Task {
        Task { lease_until: Some(until), lease_ms: Some(60_000), ..claimed_by(agent) }
    }

    #[test]
    fn a_ready_task_is_won_with_the_next_fence() {
        let events =
            claim(&created(Status::Ready), &project(), &Obstacles::default(), &request("w1"));
        let Event::TaskClaimed(won) = &events.unwrap()[0] else { panic!("no claim") };
        assert_eq!((won.fence, won.agent.as_str(), won.won), (1, "w1", Won::Claimed));
        assert_eq!(won.lease_until, Some(NOW.plus(Span::from_millis(60_000))));
    }

    #[test]
    fn only_a_ready_task_can_be_claimed() {
        for status in [Status::Backlog, Status::Blocked, Status::Done, Status::Archived] {
            let decided =
                claim(&in_status(status), &project(), &Obstacles::default(), &request("w2"));
            assert_eq!(codes(decided), Err(Code::InvalidTransition), "{status}");
        }
    }

    #[test]
    fn a_held_task_is_refused_to_others_and_to_its_holder() {
        let task = claimed_by("w1");
        let by = |agent| codes(claim(&task, &project(), &Obstacles::default(), &request(agent)));
        assert_eq!(by("w2"), Err(Code::AlreadyClaimed));
        assert_eq!(by("w1"), Err(Code::AlreadyHeld));
    }

    #[test]
    fn a_lease_that_ran_out_can_be_claimed_by_another() {
        let task = leased("w1", NOW);
        let decided = claim(&task, &project(), &Obstacles::default(), &request("w2")).unwrap();
        let Event::TaskClaimed(won) = &decided[1] else { panic!("no claim") };
        assert_eq!(won.taken_from, Some(Holder { agent: "w1".into(), fence: 1 }));
        assert_eq!((won.fence, won.won), (2, Won::TakenOver));
        assert_eq!(decided[0].kind().as_str(), "claim_expired");
    }

    #[test]
    fn that_a_lease_ran_out_is_recorded_once() {
        let task = Task { lease_expired: true, ..leased("w1", NOW) };
        let decided = claim(&task, &project(), &Obstacles::default(), &request("w2"));
        assert_eq!(codes(decided), Ok(vec!["task_claimed"]));
    }

    #[test]
    fn a_lease_that_runs_one_more_millisecond_cannot_be_claimed() {
        let task = leased("w1", Time::from_millis(NOW.as_millis() + 1));
        let decided = claim(&task, &project(), &Obstacles::default(), &request("w2"));
        assert_eq!(codes(decided), Err(Code::AlreadyClaimed));
    }

    #[test]
    fn a_frozen_project_gives_nothing_out() {
        let frozen = Project { frozen: true, ..project() };
        let decided =
            claim(&created(Status::Ready), &frozen, &Obstacles::default(), &request("w1"));
        assert_eq!(codes(decided), Err(Code::ProjectFrozen));
    }

    #[test]
    fn a_task_for_a_role_is_refused_to_others() {
        let task = Task { role: Some("reviewer".into()), ..created(Status::Ready) };
        let by = |role| {
            let request = Request { role, ..request("w1") };
            codes(claim(&task, &project(), &Obstacles::default(), &request))
        };
        assert_eq!(by(None), Err(Code::WrongRole));
        assert_eq!(by(Some("builder")), Err(Code::WrongRole));
        assert!(by(Some("reviewer")).is_ok());
    }

    #[test]
    fn open_dependencies_and_children_refuse_a_claim() {
        let other = TaskId::from_bytes([1; 16]);
        let task = created(Status::Ready);
        let waits = Obstacles { dependencies: vec![other], children: vec![] };
        assert_eq!(
            codes(claim(&task, &project(), &waits, &request("w"))),
            Err(Code::DependenciesOpen)
        );
        let parent = Obstacles { dependencies: vec![], children: vec![other] };
        assert_eq!(
            codes(claim(&task, &project(), &parent, &request("w"))),
            Err(Code::ChildrenOpen)
        );
    }

    #[test]
    fn stealing_needs_an_expired_lease_or_force() {
        let task = leased("w1", Time::from_millis(NOW.as_millis() + 1));
        let by = |task: &Task, how| codes(steal(task, &project(), how, None, &request("w2")));
        assert_eq!(by(&task, Steal::IfExpired), Err(Code::LeaseNotExpired));
        assert_eq!(by(&claimed_by("w1"), Steal::IfExpired), Err(Code::LeaseNotExpired));
        assert_eq!(by(&task, Steal::Forced), Ok(vec!["task_claimed"]));
        assert_eq!(
            by(&leased("w1", NOW), Steal::IfExpired),
            Ok(vec!["claim_expired", "task_claimed"])
        );
    }

    #[test]
    fn only_a_task_in_progress_can_be_stolen() {
        for status in
            [Status::Backlog, Status::Ready, Status::Blocked, Status::Done, Status::Archived]
        {
            let decided =
                steal(&in_status(status), &project(), Steal::Forced, None, &request("w2"));
            assert_eq!(codes(decided), Err(Code::InvalidTransition), "{status}");
        }
    }

    #[test]
    fn a_renewal_is_recorded_once_a_third_of_the_lease_is_used() {
        let holder = Bearer { name: "w1".into(), named: true, ..Bearer::default() };
        let with_left = |left: i64| leased("w1", Time::from_millis(NOW.as_millis() + left));
        assert_eq!(renew(&with_left(40_001), &holder, None, NOW).unwrap(), None);
        let Some(Event::ClaimRenewed(renewed)) =
            renew(&with_left(40_000), &holder, None, NOW).unwrap()
        else {
            panic!("not renewed")
        };
        assert_eq!(renewed.lease_until, NOW.plus(Span::from_millis(60_000)));
    }

    #[test]
    fn the_holder_of_an_expired_lease_may_still_renew_it() {
        let holder = Bearer { name: "w1".into(), named: true, ..Bearer::default() };
        let expired = leased("w1", Time::from_millis(NOW.as_millis() - 1));
        assert!(renew(&expired, &holder, None, NOW).unwrap().is_some());
    }

    #[test]
    fn a_claim_without_a_lease_needs_one_to_be_renewed() {
        let holder = Bearer { name: "w1".into(), named: true, ..Bearer::default() };
        let refusal = renew(&claimed_by("w1"), &holder, None, NOW).unwrap_err();
        assert_eq!(refusal.code, Code::LeaseRequired);
    }
}
