//! What the door answers, whichever way a message came.

use std::collections::BTreeMap;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, ErrorData, Extensions, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal};
use windlass_ledger::Error;

use super::answer::{document, protocol_error, result};
use super::calls::Calls;
use super::hizal::{self, Known};
use super::resources::{Address, Looking, Thing};
use super::subscriptions::{MOST, Subscriptions, listen};
use super::toolset::{Offer, Toolset};
use super::watch::Watch;
use super::{prompts, resources};
use crate::caller::Caller;
use crate::desk::Call;

/// Who calls, and which tools they are shown.
#[derive(Debug, Clone)]
pub(super) struct Guest {
    pub(super) caller: Caller,
    pub(super) tools: Toolset,
}

/// The door, for one session or one request.
#[derive(Debug, Clone)]
pub(super) struct Door<C> {
    pub(super) calls: C,
    /// Everybody who comes through this door; over HTTP each request says who brings it.
    pub(super) guest: Option<Guest>,
    /// Nothing where changes cannot be watched.
    pub(super) watch: Option<Watch>,
    pub(super) subscriptions: Subscriptions,
}

impl<C: Calls> Door<C> {
    pub(super) fn new(calls: C, guest: Option<Guest>, watch: Option<Watch>) -> Self {
        Self { calls, guest, watch, subscriptions: Subscriptions::default() }
    }

    fn guest(&self, extensions: &Extensions) -> Result<Guest, ErrorData> {
        let brought = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Guest>());
        let guest = brought.or(self.guest.as_ref()).cloned();
        guest.ok_or_else(|| ErrorData::internal_error("it is not known who calls", None))
    }

    fn looking(&self, guest: &Guest) -> Looking<C> {
        Looking { calls: self.calls.clone(), caller: guest.caller.clone() }
    }

    /// What the server says about itself to somebody with these tools.
    fn info(&self, tools: &Toolset) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        if let Some(resources) = &mut capabilities.resources {
            resources.subscribe = self.watch.is_some().then_some(true);
        }
        InitializeResult::new(capabilities)
            .with_server_info(Implementation::new("windlass", env!("CARGO_PKG_VERSION")))
            .with_instructions(prompts::instructions(tools))
    }

    /// Calls a tool. Arguments that make no sense are answers of the tool, which a model can read.
    async fn use_tool(&self, guest: &Guest, offer: &Offer, given: JsonObject) -> CallToolResult {
        let done = async {
            let (arguments, op_id) = offer.arguments(given)?;
            let (entry, caller) = (offer.entry, guest.caller.clone());
            let answer = self.calls.call(Call { entry, arguments, caller, op_id }).await;
            match offer.of_hizal {
                None => document(&answer?),
                Some(tool) => self.in_shape(guest, tool, answer).await,
            }
        };
        let mut result = result(done.await, &guest.tools);
        if offer.of_hizal.is_some_and(|tool| !tool.is_about_sessions()) {
            let more = hizal::handed_over(&self.calls, &guest.caller).await;
            result.content.extend(more.map(ContentBlock::text));
        }
        result
    }

    /// What an operation answered, as Hizal would.
    async fn in_shape(
        &self,
        guest: &Guest,
        tool: &hizal::Tool,
        answer: Result<String, Error>,
    ) -> Result<Value, Error> {
        let mut answer = match tool.known(answer)? {
            Known::Instead(answer) => return Ok(answer),
            Known::Document(document) => document,
        };
        if let Some((also, entry)) = tool.also() {
            let (arguments, caller) = (also.arguments(&answer), guest.caller.clone());
            let more = self.calls.call(Call { entry, arguments, caller, op_id: None }).await?;
            answer = also.put(answer, &more)?;
        }
        Ok(tool.shaped(&answer))
    }

    async fn find(&self, guest: &Guest, uri: &str) -> Result<Thing, ErrorData> {
        let looking = self.looking(guest);
        let found = async { looking.find(&Address::parse(uri)?).await };
        found.await.map_err(|error| protocol_error(error, &guest.tools))
    }
}

fn tool_named(guest: &Guest, name: &str) -> Result<&'static Offer, ErrorData> {
    guest.tools.named(name).ok_or_else(|| {
        let data = json!({
            "suggestions": near(name, guest.tools.names()),
            "tools": guest.tools.names().collect::<Vec<_>>(),
        });
        ErrorData::invalid_params(format!("there is no tool '{name}'"), Some(data))
    })
}

impl<C: Calls> ServerHandler for Door<C> {
    fn get_info(&self) -> ServerConfig {
        self.info(&self.guest.as_ref().map(|guest| guest.tools.clone()).unwrap_or_default())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let guest = self.guest(&context.extensions)?;
        context.peer.set_peer_info(request.clone());
        let negotiated = self.negotiate_initialize(&request)?;
        Ok(negotiated.with_instructions(prompts::instructions(&guest.tools)))
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let guest = self.guest(&context.extensions)?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.info(&guest.tools)))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.guest(&context.extensions)?.tools.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let guest = self.guest(&context.extensions)?;
        let offer = tool_named(&guest, &request.name)?;
        Ok(self.use_tool(&guest, offer, request.arguments.unwrap_or_default()).await.into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let guest = self.guest(&context.extensions)?;
        Ok(ListPromptsResult::with_all_items(prompts::list(&guest.tools)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let guest = self.guest(&context.extensions)?;
        Ok(prompts::get(&request.name, request.arguments.as_ref(), &guest.tools)?.into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let guest = self.guest(&context.extensions)?;
        let listed = self.looking(&guest).list().await;
        let listed = listed.map_err(|error| protocol_error(error, &guest.tools))?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let guest = self.guest(&context.extensions)?;
        let read = self.looking(&guest).read(&request.uri).await;
        let contents = read.map_err(|error| protocol_error(error, &guest.tools))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let guest = self.guest(&context.extensions)?;
        let Some(watch) = &self.watch else { return Err(unwatched()) };
        let thing = self.find(&guest, &request.uri).await?;
        let added = self.subscriptions.add(request.uri, thing, watch, context.peer.clone()).await;
        added.map_err(|error| protocol_error(error, &guest.tools))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.watch.as_ref()?;
        let uris = requested.resource_subscriptions.iter().flatten();
        let known = uris.filter(|uri| Address::parse(uri).is_ok()).take(MOST).cloned();
        Some(SubscriptionFilter::builder().resource_subscriptions(known).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let guest = self.guest(&context.request_context().extensions)?;
        let Some(watch) = &self.watch else { return Err(unwatched()) };
        let changes = watch.listen().await.map_err(|error| protocol_error(error, &guest.tools))?;
        let mut wanted = BTreeMap::new();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            wanted.insert(uri.clone(), self.find(&guest, uri).await?);
        }
        listen(&context, &wanted, changes).await;
        Ok(())
    }

    /// Methods that do not exist, and those whose parameters have the wrong shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        if method != "tools/call" {
            return Err(misshapen(&method));
        }
        let guest = self.guest(&context.extensions)?;
        let name = params.as_ref().and_then(|params| params.get("name")).and_then(Value::as_str);
        tool_named(&guest, name.ok_or_else(|| misshapen(&method))?)?;
        let refusal = Refusal::new(Code::Usage, "the arguments are not a JSON object")
            .hint("give one JSON object with the fields of the tool");
        let mut refused = json!(result(Err(Error::from(refusal)), &guest.tools));
        if let Some(refused) = refused.as_object_mut() {
            refused.remove("resultType");
        }
        Ok(CustomResult::new(refused))
    }
}

fn unwatched() -> ErrorData {
    ErrorData::invalid_request("changes cannot be watched through this door", None)
}

/// Methods whose parameters are checked before they come here.
const METHODS: [&str; 14] = [
    "initialize",
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

fn misshapen(method: &str) -> ErrorData {
    if METHODS.contains(&method) {
        return ErrorData::invalid_params(format!("the parameters of {method} are wrong"), None);
    }
    let message = format!("there is no method '{method}'");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}
