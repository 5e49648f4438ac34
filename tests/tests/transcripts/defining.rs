//! Agents with their types, and lifecycles: what sessions follow.

use crate::scene::transcript;

#[test]
fn agents_are_registered_and_have_types() {
    let said = transcript(|scene| {
        scene.shows("agent register coder-1 --type dev_coder --tags rust -d 'writes code'");
        scene.says("agent register coder-2 --type dev_codr");
        scene.says("agent status");
        scene.shows("agent type list");
        scene.shows("agent type show dev_coder");
        scene.has("tester.toml", "lifecycle = \"dev_verification\"\nmax_inject_tokens = 4000\n");
        scene.shows("agent type set tester --from tester.toml");
        scene.shows("agent type hide research");
        scene.says("agent type remove dev_coder");
        scene.shows("agent type remove tester");
        scene.shows("agent unregister coder-1");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass agent register coder-1 --type dev_coder --tags rust -d 'writes code'
    agent coder-1 is of type dev_coder
      for   writes code
      tags  rust
    $ … --json
    {
      "name": "coder-1",
      "agent_type": "dev_coder",
      "tags": ["rust"],
      "description": "writes code",
      "search_filter_overrides": {}
    }
    $ windlass agent register coder-2 --type dev_codr
    error: there is no agent type 'dev_codr'
    did you mean: dev_coder
    hint: see which there are: windlass agent type list
    more: windlass explain agent_type_not_found
    [exit code 4]
    $ windlass agent status
    AGENT    TASK  PROJECT  TITLE  PROGRESS  LEASE  LAST SEEN
    ada                                             now
    coder-1
    0 of 2 at work

    registered
    AGENT    TYPE       TAGS
    coder-1  dev_coder  rust
    $ windlass agent type list
    SLUG              NAME           ORIGIN    WHAT IT SAYS
    admin             Administrator  built in  lifecycle admin
    dev               Developer      built in  lifecycle dev
    dev_assistant     Assistant      built in  lifecycle dev_assisting
    dev_coder         Coder          built in  lifecycle dev_coding
    dev_delivery      Delivery       built in  lifecycle dev_delivery
    dev_operations    Operations     built in  lifecycle dev_operations
    dev_orchestrator  Orchestrator   built in  lifecycle dev_orchestration
    dev_planner       Planner        built in  lifecycle dev_planning
    dev_qa            QA             built in  lifecycle dev_verification
    dev_researcher    Researcher     built in  lifecycle dev_research
    orchestrator      Orchestrator   built in  lifecycle orchestrator
    research          Researcher     built in  lifecycle default
    $ … --json
    {
      "definitions": [
        {
          "slug": "admin",
          "name": "Administrator",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle admin",
          "definition": {
            "inject": {
              "include_chunk_types": ["knowledge", "identity", "principle"],
              "include_scopes": ["agent", "org"]
            },
            "lifecycle": "admin",
            "name": "Administrator",
            "search": {"include_scopes": ["agent", "org"]},
            "slug": "admin"
          }
        },
        {
          "slug": "dev",
          "name": "Developer",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev",
          "definition": {
            "inject": {
              "include_chunk_types": [
                "knowledge",
                "convention",
                "identity",
                "principle",
                "decision",
                "constraint"
              ]
            },
            "lifecycle": "dev",
            "name": "Developer",
            "search": {},
            "slug": "dev"
          }
        },
        {
          "slug": "dev_assistant",
          "name": "Assistant",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_assisting",
          "definition": {
            "inject": {},
            "lifecycle": "dev_assisting",
            "name": "Assistant",
            "search": {},
            "slug": "dev_assistant"
          }
        },
        {
          "slug": "dev_coder",
          "name": "Coder",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_coding",
          "definition": {
            "inject": {},
            "lifecycle": "dev_coding",
            "name": "Coder",
            "search": {},
            "slug": "dev_coder"
          }
        },
        {
          "slug": "dev_delivery",
          "name": "Delivery",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_delivery",
          "definition": {
            "inject": {},
            "lifecycle": "dev_delivery",
            "name": "Delivery",
            "search": {},
            "slug": "dev_delivery"
          }
        },
        {
          "slug": "dev_operations",
          "name": "Operations",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_operations",
          "definition": {
            "inject": {},
            "lifecycle": "dev_operations",
            "name": "Operations",
            "search": {},
            "slug": "dev_operations"
          }
        },
        {
          "slug": "dev_orchestrator",
          "name": "Orchestrator",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_orchestration",
          "definition": {
            "inject": {},
            "lifecycle": "dev_orchestration",
            "name": "Orchestrator",
            "search": {},
            "slug": "dev_orchestrator"
          }
        },
        {
          "slug": "dev_planner",
          "name": "Planner",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_planning",
          "definition": {
            "inject": {},
            "lifecycle": "dev_planning",
            "name": "Planner",
            "search": {},
            "slug": "dev_planner"
          }
        },
        {
          "slug": "dev_qa",
          "name": "QA",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_verification",
          "definition": {
            "inject": {},
            "lifecycle": "dev_verification",
            "name": "QA",
            "search": {},
            "slug": "dev_qa"
          }
        },
        {
          "slug": "dev_researcher",
          "name": "Researcher",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle dev_research",
          "definition": {
            "inject": {},
            "lifecycle": "dev_research",
            "name": "Researcher",
            "search": {},
            "slug": "dev_researcher"
          }
        },
        {
          "slug": "orchestrator",
          "name": "Orchestrator",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle orchestrator",
          "definition": {
            "inject": {
              "include_chunk_types": [
                "knowledge",
                "convention",
                "identity",
                "principle",
                "decision",
                "constraint"
              ]
            },
            "lifecycle": "orchestrator",
            "name": "Orchestrator",
            "search": {},
            "slug": "orchestrator"
          }
        },
        {
          "slug": "research",
          "name": "Researcher",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "lifecycle default",
          "definition": {
            "inject": {"include_chunk_types": ["identity"]},
            "lifecycle": "default",
            "name": "Researcher",
            "search": {},
            "slug": "research"
          }
        }
      ],
      "hidden": 0
    }
    $ windlass agent type show dev_coder
    SLUG       NAME   ORIGIN    WHAT IT SAYS
    dev_coder  Coder  built in  lifecycle dev_coding

    {
      "inject": {},
      "lifecycle": "dev_coding",
      "name": "Coder",
      "search": {},
      "slug": "dev_coder"
    }

    $ … --json
    {
      "slug": "dev_coder",
      "name": "Coder",
      "description": null,
      "origin": "built_in",
      "hidden": false,
      "summary": "lifecycle dev_coding",
      "definition": {
        "inject": {},
        "lifecycle": "dev_coding",
        "name": "Coder",
        "search": {},
        "slug": "dev_coder"
      }
    }
    $ cat tester.toml
    lifecycle = "dev_verification"
    max_inject_tokens = 4000
    $ windlass agent type set tester --from tester.toml
    agent type tester is set
    SLUG    NAME    ORIGIN  WHAT IT SAYS
    tester  tester  added   lifecycle dev_verification

    {
      "inject": {},
      "lifecycle": "dev_verification",
      "max_inject_tokens": 4000,
      "name": "tester",
      "search": {},
      "slug": "tester"
    }

    $ … --json
    {
      "slug": "tester",
      "name": "tester",
      "description": null,
      "origin": "added",
      "hidden": false,
      "summary": "lifecycle dev_verification",
      "definition": {
        "inject": {},
        "lifecycle": "dev_verification",
        "max_inject_tokens": 4000,
        "name": "tester",
        "search": {},
        "slug": "tester"
      },
      "what": "agent type"
    }
    $ windlass agent type hide research
    SLUG      NAME        ORIGIN            WHAT IT SAYS
    research  Researcher  replaced, hidden  lifecycle default

    {
      "hidden": true,
      "inject": {
        "include_chunk_types": [
          "identity"
        ]
      },
      "lifecycle": "default",
      "name": "Researcher",
      "search": {},
      "slug": "research"
    }

    $ … --json
    {
      "slug": "research",
      "name": "Researcher",
      "description": null,
      "origin": "replaced",
      "hidden": true,
      "summary": "lifecycle default",
      "definition": {
        "hidden": true,
        "inject": {"include_chunk_types": ["identity"]},
        "lifecycle": "default",
        "name": "Researcher",
        "search": {},
        "slug": "research"
      }
    }
    $ windlass agent type remove dev_coder
    error: agent type dev_coder is built in and cannot be removed
    hint: hide it: windlass agent type hide dev_coder
    more: windlass explain invalid_value
    [exit code 3]
    $ windlass agent type remove tester
    agent type tester is removed
    $ … --json
    {"what": "agent type", "slug": "tester", "restored": false}
    $ windlass agent unregister coder-1
    agent coder-1 is no longer registered
    $ … --json
    {"name": "coder-1"}
    "#);
}

#[test]
fn lifecycles_say_what_a_session_is_given() {
    let said = transcript(|scene| {
        scene.shows("lifecycle list");
        scene.shows("lifecycle show dev_coding");
        let rule = "[[inject]]\nchunk_type = \"constraint\"\nowner = \"project\"\n";
        scene.has("careful.toml", &format!("ttl = \"2h\"\nconsolidation_threshold = 1\n{rule}"));
        scene.shows("lifecycle set careful --from careful.toml");
        let missing = r#"{"ttl":"2h","consolidation_threshold":1,"inject":[{"chunk_type":"rule","owner":"org"}]}"#;
        scene.says(&format!("lifecycle set strict --definition '{missing}'"));
        scene.shows("lifecycle hide careful");
        scene.shows("lifecycle remove careful");
    });
    insta::assert_snapshot!(said, @r#"
    $ windlass lifecycle list
    SLUG               NAME            ORIGIN    WHAT IT SAYS
    admin              Administration  built in  4h: as chunks say
    default            Default         built in  8h: as chunks say
    dev                Development     built in  8h: as chunks say
    dev_assisting      Assisting       built in  8h: latest 1 memory of self; dev_s…
    dev_coding         Coding          built in  8h: convention of project; constra…
    dev_delivery       Delivery        built in  8h: convention of project; convent…
    dev_operations     Operations      built in  8h: convention of shared tagged in…
    dev_orchestration  Orchestration   built in  8h: latest 1 memory of self; princ…
    dev_planning       Planning        built in  8h: principle of org; convention o…
    dev_research       Research        built in  8h: principle of org; convention o…
    dev_verification   Verification    built in  8h: convention of project; constra…
    orchestrator       Orchestration   built in  1d: as chunks say
    $ … --json
    {
      "definitions": [
        {
          "slug": "admin",
          "name": "Administration",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "4h: as chunks say",
          "definition": {
            "consolidation_threshold": 2,
            "inject_scopes": ["agent", "org"],
            "name": "Administration",
            "required_steps": ["register_focus"],
            "slug": "admin",
            "ttl": "4h"
          }
        },
        {
          "slug": "default",
          "name": "Default",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: as chunks say",
          "definition": {
            "consolidation_threshold": 5,
            "name": "Default",
            "slug": "default",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev",
          "name": "Development",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: as chunks say",
          "definition": {
            "consolidation_threshold": 3,
            "name": "Development",
            "required_steps": ["register_focus"],
            "slug": "dev",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_assisting",
          "name": "Assisting",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: latest 1 memory of self; dev_spec of any with status \"blocked\" aimed at it; dev_package of any with state \"pending\" aimed at it",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {"chunk_type": "memory", "latest": 1, "owner": "self"},
              {
                "aimed": true,
                "chunk_type": "dev_spec",
                "fields": {"status": "blocked"},
                "owner": "any"
              },
              {
                "aimed": true,
                "chunk_type": "dev_package",
                "fields": {"state": "pending"},
                "owner": "any"
              }
            ],
            "name": "Assisting",
            "slug": "dev_assisting",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_coding",
          "name": "Coding",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: convention of project; constraint of project",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {"chunk_type": "convention", "owner": "project"},
              {"chunk_type": "constraint", "owner": "project"}
            ],
            "name": "Coding",
            "slug": "dev_coding",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_delivery",
          "name": "Delivery",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: convention of project; convention of shared tagged deployment",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {"chunk_type": "convention", "owner": "project"},
              {
                "chunk_type": "convention",
                "owner": "shared",
                "tags": ["deployment"]
              }
            ],
            "name": "Delivery",
            "slug": "dev_delivery",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_operations",
          "name": "Operations",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: convention of shared tagged infrastructure; latest 3 dev_deployment of projects; dev_incident of any with state \"active\" aimed at it",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {
                "chunk_type": "convention",
                "owner": "shared",
                "tags": ["infrastructure"]
              },
              {"chunk_type": "dev_deployment", "latest": 3, "owner": "projects"},
              {
                "aimed": true,
                "chunk_type": "dev_incident",
                "fields": {"state": "active"},
                "owner": "any"
              }
            ],
            "name": "Operations",
            "slug": "dev_operations",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_orchestration",
          "name": "Orchestration",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: latest 1 memory of self; principle of org; convention of project; constraint of project",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {"chunk_type": "memory", "latest": 1, "owner": "self"},
              {"chunk_type": "principle", "owner": "org"},
              {"chunk_type": "convention", "owner": "project"},
              {"chunk_type": "constraint", "owner": "project"}
            ],
            "name": "Orchestration",
            "slug": "dev_orchestration",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_planning",
          "name": "Planning",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: principle of org; convention of project; constraint of project",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {"chunk_type": "principle", "owner": "org"},
              {"chunk_type": "convention", "owner": "project"},
              {"chunk_type": "constraint", "owner": "project"}
            ],
            "name": "Planning",
            "slug": "dev_planning",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_research",
          "name": "Research",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: principle of org; convention of project; constraint of project",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {"chunk_type": "principle", "owner": "org"},
              {"chunk_type": "convention", "owner": "project"},
              {"chunk_type": "constraint", "owner": "project"}
            ],
            "name": "Research",
            "slug": "dev_research",
            "ttl": "8h"
          }
        },
        {
          "slug": "dev_verification",
          "name": "Verification",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "8h: convention of project; constraint of project; convention of shared tagged testing",
          "definition": {
            "consolidation_threshold": 5,
            "inject": [
              {"chunk_type": "convention", "owner": "project"},
              {"chunk_type": "constraint", "owner": "project"},
              {"chunk_type": "convention", "owner": "shared", "tags": ["testing"]}
            ],
            "name": "Verification",
            "slug": "dev_verification",
            "ttl": "8h"
          }
        },
        {
          "slug": "orchestrator",
          "name": "Orchestration",
          "description": null,
          "origin": "built_in",
          "hidden": false,
          "summary": "1d: as chunks say",
          "definition": {
            "consolidation_threshold": 10,
            "name": "Orchestration",
            "slug": "orchestrator",
            "ttl": "1d"
          }
        }
      ],
      "hidden": 0
    }
    $ windlass lifecycle show dev_coding
    SLUG        NAME    ORIGIN    WHAT IT SAYS
    dev_coding  Coding  built in  8h: convention of project; constraint of project

    {
      "consolidation_threshold": 5,
      "inject": [
        {
          "chunk_type": "convention",
          "owner": "project"
        },
        {
          "chunk_type": "constraint",
          "owner": "project"
        }
      ],
      "name": "Coding",
      "slug": "dev_coding",
      "ttl": "8h"
    }

    $ … --json
    {
      "slug": "dev_coding",
      "name": "Coding",
      "description": null,
      "origin": "built_in",
      "hidden": false,
      "summary": "8h: convention of project; constraint of project",
      "definition": {
        "consolidation_threshold": 5,
        "inject": [
          {"chunk_type": "convention", "owner": "project"},
          {"chunk_type": "constraint", "owner": "project"}
        ],
        "name": "Coding",
        "slug": "dev_coding",
        "ttl": "8h"
      }
    }
    $ cat careful.toml
    ttl = "2h"
    consolidation_threshold = 1
    [[inject]]
    chunk_type = "constraint"
    owner = "project"
    $ windlass lifecycle set careful --from careful.toml
    lifecycle careful is set
    SLUG     NAME     ORIGIN  WHAT IT SAYS
    careful  careful  added   2h: constraint of project

    {
      "consolidation_threshold": 1,
      "inject": [
        {
          "chunk_type": "constraint",
          "owner": "project"
        }
      ],
      "name": "careful",
      "slug": "careful",
      "ttl": "2h"
    }

    $ … --json
    {
      "slug": "careful",
      "name": "careful",
      "description": null,
      "origin": "added",
      "hidden": false,
      "summary": "2h: constraint of project",
      "definition": {
        "consolidation_threshold": 1,
        "inject": [{"chunk_type": "constraint", "owner": "project"}],
        "name": "careful",
        "slug": "careful",
        "ttl": "2h"
      },
      "what": "lifecycle"
    }
    $ windlass lifecycle set strict --definition '{"ttl":"2h","consolidation_threshold":1,"inject":[{"chunk_type":"rule","owner":"org"}]}'
    error: there is no chunk type 'rule'
    hint: see which there are: windlass chunk type list
    more: windlass explain chunk_type_not_found
    [exit code 4]
    $ windlass lifecycle hide careful
    SLUG     NAME     ORIGIN         WHAT IT SAYS
    careful  careful  added, hidden  2h: constraint of project

    {
      "consolidation_threshold": 1,
      "hidden": true,
      "inject": [
        {
          "chunk_type": "constraint",
          "owner": "project"
        }
      ],
      "name": "careful",
      "slug": "careful",
      "ttl": "2h"
    }

    $ … --json
    {
      "slug": "careful",
      "name": "careful",
      "description": null,
      "origin": "added",
      "hidden": true,
      "summary": "2h: constraint of project",
      "definition": {
        "consolidation_threshold": 1,
        "hidden": true,
        "inject": [{"chunk_type": "constraint", "owner": "project"}],
        "name": "careful",
        "slug": "careful",
        "ttl": "2h"
      }
    }
    $ windlass lifecycle remove careful
    lifecycle careful is removed
    $ … --json
    {"what": "lifecycle", "slug": "careful", "restored": false}
    "#);
}
