//! Types of chunks, those brought along and those of one's own.

use crate::scene::transcript;

#[test]
fn types_of_chunks_are_added_hidden_and_taken_back() {
    let said = transcript(|scene| {
        let risk = "description = \"What may go wrong\"\n\n[[fields]]\nname = \"level\"\n\
                    type = \"enum\"\nvalues = [\"high\", \"low\"]\ndefault = \"low\"\n";
        scene.has("risk.toml", risk);
        scene.shows("chunk type set risk --from risk.toml");
        scene.shows("chunk type show risk");
        scene.shows("chunk type list");
        scene.shows("chunk type hide lesson");
        scene.shows("chunk type remove risk");
        scene.says("chunk type remove lesson");
        scene.says("chunk type hide plan");
        scene.says("chunk type hide plan --undo");
    });
    insta::assert_snapshot!(said, @r#"
    $ cat risk.toml
    description = "What may go wrong"

    [[fields]]
    name = "level"
    type = "enum"
    values = ["high", "low"]
    default = "low"
    $ windlass chunk type set risk --from risk.toml
    chunk type risk is set
    SLUG  NAME  ORIGIN  WHAT IT SAYS
    risk  risk  added   project: level

    {
      "audience": {
        "rules": []
      },
      "consolidation": "keep",
      "description": "What may go wrong",
      "fields": [
        {
          "default": "low",
          "name": "level",
          "type": "enum",
          "values": [
            "high",
            "low"
          ]
        }
      ],
      "name": "risk",
      "scope": "project",
      "slug": "risk",
      "template": {
        "headings": []
      }
    }

    $ … --json
    {
      "slug": "risk",
      "name": "risk",
      "description": "What may go wrong",
      "origin": "added",
      "hidden": false,
      "summary": "project: level",
      "definition": {
        "audience": {"rules": []},
        "consolidation": "keep",
        "description": "What may go wrong",
        "fields": [
          {
            "default": "low",
            "name": "level",
            "type": "enum",
            "values": ["high", "low"]
          }
        ],
        "name": "risk",
        "scope": "project",
        "slug": "risk",
        "template": {"headings": []}
      },
      "what": "chunk type"
    }
    $ windlass chunk type show risk
    SLUG  NAME  ORIGIN  WHAT IT SAYS
    risk  risk  added   project: level

    {
      "audience": {
        "rules": []
      },
      "consolidation": "keep",
      "description": "What may go wrong",
      "fields": [
        {
          "default": "low",
          "name": "level",
          "type": "enum",
          "values": [
            "high",
            "low"
          ]
        }
      ],
      "name": "risk",
      "scope": "project",
      "slug": "risk",
      "template": {
        "headings": []
      }
    }

    $ … --json
    {
      "slug": "risk",
      "name": "risk",
      "description": "What may go wrong",
      "origin": "added",
      "hidden": false,
      "summary": "project: level",
      "definition": {
        "audience": {"rules": []},
        "consolidation": "keep",
        "description": "What may go wrong",
        "fields": [
          {
            "default": "low",
            "name": "level",
            "type": "enum",
            "values": ["high", "low"]
          }
        ],
        "name": "risk",
        "scope": "project",
        "slug": "risk",
        "template": {"headings": []}
      }
    }
    $ windlass chunk type list
    SLUG                NAME                ORIGIN    WHAT IT SAYS
    constraint          Constraint          built in  project
    convention          Convention          built in  project
    decision            Decision            built in  project
    dev_deployment      dev_deployment      built in  project
    dev_implementation  dev_implementation  built in  project
    dev_incident        dev_incident        built in  project: state, severity
    dev_package         dev_package         built in  project: state
    dev_plan            dev_plan            built in  project
    dev_rejection       dev_rejection       built in  project
    dev_research        dev_research        built in  project
    dev_rollback        dev_rollback        built in  project
    dev_spec            dev_spec            built in  project: status, priority, bl…
    dev_verification    dev_verification    built in  project
    identity            Identity            built in  agent
    implementation      Implementation      built in  project
    knowledge           Knowledge           built in  project
    lesson              Lesson              built in  project
    memory              Memory              built in  agent
    plan                Plan                built in  project
    principle           Principle           built in  org
    research            Research            built in  project
    risk                risk                added     project: level
    spec                Spec                built in  project
    $ … --json
    {
      "definitions": [
        {
          "slug": "constraint",
          "name": "Constraint",
          "description": "What must not be done",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "description": "What must not be done",
            "name": "Constraint",
            "scope": "project",
            "slug": "constraint",
            "template": {"headings": []}
          }
        },
        {
          "slug": "convention",
          "name": "Convention",
          "description": "How things are done here",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "description": "How things are done here",
            "name": "Convention",
            "scope": "project",
            "slug": "convention",
            "template": {"headings": []}
          }
        },
        {
          "slug": "decision",
          "name": "Decision",
          "description": "What was decided and why",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "description": "What was decided and why",
            "name": "Decision",
            "scope": "project",
            "slug": "decision",
            "template": {"headings": []}
          }
        },
        {
          "slug": "dev_deployment",
          "name": "dev_deployment",
          "description": "Deployment of a release",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_delivery"],
            "description": "Deployment of a release",
            "name": "dev_deployment",
            "scope": "project",
            "slug": "dev_deployment",
            "template": {
              "headings": [
                {"asks": "where it runs", "title": "Environment"},
                {"asks": "what runs there", "title": "Version"},
                {"asks": "since when", "title": "Time"}
              ]
            }
          }
        },
        {
          "slug": "dev_implementation",
          "name": "dev_implementation",
          "description": "Implementation of a plan",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_coder"],
            "description": "Implementation of a plan",
            "name": "dev_implementation",
            "scope": "project",
            "slug": "dev_implementation",
            "template": {
              "headings": [
                {"asks": "its address", "title": "Pull request"},
                {"asks": "what was changed, in short", "title": "Changes"},
                {"asks": "which files were modified", "title": "Files"},
                {"asks": "what they cover", "title": "Tests"}
              ]
            }
          }
        },
        {
          "slug": "dev_incident",
          "name": "dev_incident",
          "description": "An issue in production",
          "origin": "built_in",
          "hidden": false,
          "summary": "project: state, severity",
          "definition": {
            "audience": {
              "rules": [
                {"agent_types": ["dev_operations"], "fields": {"state": "active"}}
              ]
            },
            "consolidation": "keep",
            "creators": ["dev_operations"],
            "description": "An issue in production",
            "fields": [
              {
                "default": "active",
                "name": "state",
                "required": true,
                "type": "enum",
                "values": ["active", "mitigated", "resolved"]
              },
              {
                "default": "normal",
                "name": "severity",
                "required": true,
                "type": "enum",
                "values": ["critical", "normal"]
              }
            ],
            "name": "dev_incident",
            "scope": "project",
            "slug": "dev_incident",
            "template": {"headings": []}
          }
        },
        {
          "slug": "dev_package",
          "name": "dev_package",
          "description": "A release with all it includes",
          "origin": "built_in",
          "hidden": false,
          "summary": "project: state",
          "definition": {
            "audience": {
              "rules": [
                {"agent_types": ["dev_assistant"], "fields": {"state": "pending"}}
              ]
            },
            "consolidation": "keep",
            "creators": ["dev_delivery"],
            "description": "A release with all it includes",
            "fields": [
              {
                "default": "pending",
                "name": "state",
                "required": true,
                "type": "enum",
                "values": ["pending", "merged", "deployed", "abandoned"]
              }
            ],
            "name": "dev_package",
            "scope": "project",
            "slug": "dev_package",
            "template": {
              "headings": [
                {"asks": "everything that is included", "title": "Items"},
                {"asks": "their specs", "title": "Specs"},
                {"asks": "the address of the release's", "title": "Pull request"}
              ]
            }
          }
        },
        {
          "slug": "dev_plan",
          "name": "dev_plan",
          "description": "Plan of a spec",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_planner"],
            "description": "Plan of a spec",
            "name": "dev_plan",
            "scope": "project",
            "slug": "dev_plan",
            "template": {
              "headings": [
                {"asks": "the steps, in order", "title": "Phases"},
                {
                  "asks": "for each phase, what must hold at its end",
                  "title": "Acceptance criteria"
                },
                {"asks": "which tests are expected", "title": "Test coverage"}
              ]
            }
          }
        },
        {
          "slug": "dev_rejection",
          "name": "dev_rejection",
          "description": "Why work was sent back",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_qa", "dev_delivery"],
            "description": "Why work was sent back",
            "name": "dev_rejection",
            "scope": "project",
            "slug": "dev_rejection",
            "template": {
              "headings": [
                {"asks": "as it was seen", "title": "What failed"},
                {"asks": "what was expected instead", "title": "Why"},
                {"asks": "where it comes from", "title": "Root cause"},
                {"asks": "what to do about it", "title": "Recommendation"}
              ]
            }
          }
        },
        {
          "slug": "dev_research",
          "name": "dev_research",
          "description": "Research of a spec",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_researcher"],
            "description": "Research of a spec",
            "name": "dev_research",
            "scope": "project",
            "slug": "dev_research",
            "template": {
              "headings": [
                {
                  "asks": "the code and context as they are",
                  "title": "What exists"
                },
                {
                  "asks": "the gaps, without saying how to close them",
                  "title": "What must change"
                }
              ]
            }
          }
        },
        {
          "slug": "dev_rollback",
          "name": "dev_rollback",
          "description": "A deployment that was reverted",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_operations"],
            "description": "A deployment that was reverted",
            "name": "dev_rollback",
            "scope": "project",
            "slug": "dev_rollback",
            "template": {
              "headings": [
                {"asks": "the one that was reverted", "title": "Deployment"},
                {"asks": "the one it was reverted for", "title": "Incident"}
              ]
            }
          }
        },
        {
          "slug": "dev_spec",
          "name": "dev_spec",
          "description": "A work item: what is wanted, and when it is done",
          "origin": "built_in",
          "hidden": false,
          "summary": "project: status, priority, blocked_reason, previous_status, ticket_url",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_assistant", "dev_researcher", "dev_operations"],
            "description": "A work item: what is wanted, and when it is done",
            "fields": [
              {
                "default": "new",
                "description": "how far it has come",
                "name": "status",
                "required": true,
                "type": "enum",
                "values": [
                  "new",
                  "researched",
                  "planned",
                  "implemented",
                  "verified",
                  "packaged",
                  "deployed",
                  "blocked"
                ]
              },
              {
                "default": "medium",
                "name": "priority",
                "required": true,
                "type": "enum",
                "values": ["critical", "high", "medium", "low"]
              },
              {
                "description": "why it is blocked",
                "name": "blocked_reason",
                "type": "text"
              },
              {
                "description": "where it returns to",
                "name": "previous_status",
                "type": "enum",
                "values": [
                  "new",
                  "researched",
                  "planned",
                  "implemented",
                  "verified",
                  "packaged",
                  "deployed"
                ]
              },
              {
                "description": "its ticket elsewhere",
                "name": "ticket_url",
                "type": "url"
              }
            ],
            "name": "dev_spec",
            "scope": "project",
            "slug": "dev_spec",
            "template": {"headings": []}
          }
        },
        {
          "slug": "dev_verification",
          "name": "dev_verification",
          "description": "Verification of an implementation",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "creators": ["dev_qa"],
            "description": "Verification of an implementation",
            "name": "dev_verification",
            "scope": "project",
            "slug": "dev_verification",
            "template": {
              "headings": [
                {
                  "asks": "for each criterion: passed or failed, and the evidence",
                  "title": "Criteria"
                }
              ]
            }
          }
        },
        {
          "slug": "identity",
          "name": "Identity",
          "description": "Who an agent is and how it works",
          "origin": "built_in",
          "hidden": false,
          "summary": "agent",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "description": "Who an agent is and how it works",
            "name": "Identity",
            "scope": "agent",
            "slug": "identity",
            "template": {"headings": []}
          }
        },
        {
          "slug": "implementation",
          "name": "Implementation",
          "description": "What was built",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What was built",
            "name": "Implementation",
            "scope": "project",
            "slug": "implementation",
            "template": {"headings": []}
          }
        },
        {
          "slug": "knowledge",
          "name": "Knowledge",
          "description": "How something is",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "description": "How something is",
            "name": "Knowledge",
            "scope": "project",
            "slug": "knowledge",
            "template": {"headings": []}
          }
        },
        {
          "slug": "lesson",
          "name": "Lesson",
          "description": "What was learned",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What was learned",
            "name": "Lesson",
            "scope": "project",
            "slug": "lesson",
            "template": {"headings": []}
          }
        },
        {
          "slug": "memory",
          "name": "Memory",
          "description": "What an agent keeps for itself",
          "origin": "built_in",
          "hidden": false,
          "summary": "agent",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What an agent keeps for itself",
            "name": "Memory",
            "scope": "agent",
            "slug": "memory",
            "template": {"headings": []}
          }
        },
        {
          "slug": "plan",
          "name": "Plan",
          "description": "What is to be done, in order",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What is to be done, in order",
            "name": "Plan",
            "scope": "project",
            "slug": "plan",
            "template": {"headings": []}
          }
        },
        {
          "slug": "principle",
          "name": "Principle",
          "description": "What holds everywhere",
          "origin": "built_in",
          "hidden": false,
          "summary": "org",
          "definition": {
            "audience": {"rules": [{"all": true}]},
            "consolidation": "keep",
            "creators": ["admin", "dev_assistant", "orchestrator"],
            "description": "What holds everywhere",
            "name": "Principle",
            "scope": "org",
            "slug": "principle",
            "template": {"headings": []}
          }
        },
        {
          "slug": "research",
          "name": "Research",
          "description": "What was found out",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What was found out",
            "name": "Research",
            "scope": "project",
            "slug": "research",
            "template": {"headings": []}
          }
        },
        {
          "slug": "risk",
          "name": "risk",
          "description": "What may go wrong",
          "origin": "added",
          "hidden": false,
          "summary": "project: level",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "keep",
            "description": "What may go wrong",
            "fields": [
              {
                "default": "low",
                "name": "level",
                "type": "enum",
                "values": ["high", "low"]
              }
            ],
            "name": "risk",
            "scope": "project",
            "slug": "risk",
            "template": {"headings": []}
          }
        },
        {
          "slug": "spec",
          "name": "Spec",
          "description": "What is wanted",
          "origin": "built_in",
          "hidden": false,
          "summary": "project",
          "definition": {
            "audience": {"rules": []},
            "consolidation": "surface",
            "description": "What is wanted",
            "name": "Spec",
            "scope": "project",
            "slug": "spec",
            "template": {"headings": []}
          }
        }
      ],
      "hidden": 0
    }
    $ windlass chunk type hide lesson
    SLUG    NAME    ORIGIN            WHAT IT SAYS
    lesson  Lesson  replaced, hidden  project

    {
      "audience": {
        "rules": []
      },
      "consolidation": "surface",
      "description": "What was learned",
      "hidden": true,
      "name": "Lesson",
      "scope": "project",
      "slug": "lesson",
      "template": {
        "headings": []
      }
    }

    $ … --json
    {
      "slug": "lesson",
      "name": "Lesson",
      "description": "What was learned",
      "origin": "replaced",
      "hidden": true,
      "summary": "project",
      "definition": {
        "audience": {"rules": []},
        "consolidation": "surface",
        "description": "What was learned",
        "hidden": true,
        "name": "Lesson",
        "scope": "project",
        "slug": "lesson",
        "template": {"headings": []}
      }
    }
    $ windlass chunk type remove risk
    chunk type risk is removed
    $ … --json
    {"what": "chunk type", "slug": "risk", "restored": false}
    $ windlass chunk type remove lesson
    chunk type lesson is removed
    the chunk type lesson that is built in holds again
    $ windlass chunk type hide plan
    SLUG  NAME  ORIGIN            WHAT IT SAYS
    plan  Plan  replaced, hidden  project

    {
      "audience": {
        "rules": []
      },
      "consolidation": "surface",
      "description": "What is to be done, in order",
      "hidden": true,
      "name": "Plan",
      "scope": "project",
      "slug": "plan",
      "template": {
        "headings": []
      }
    }

    $ windlass chunk type hide plan --undo
    SLUG  NAME  ORIGIN    WHAT IT SAYS
    plan  Plan  built in  project

    {
      "audience": {
        "rules": []
      },
      "consolidation": "surface",
      "description": "What is to be done, in order",
      "name": "Plan",
      "scope": "project",
      "slug": "plan",
      "template": {
        "headings": []
      }
    }
    "#);
}
