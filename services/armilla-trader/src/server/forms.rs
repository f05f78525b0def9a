//! The forms of the pages. `actions` does what they ask for.

use crate::model::{Model, ServiceType, is_mandatory, is_readonly};
use armilla_cos_trading::FollowOption;
use armilla_cos_trading::link::LinkInfo;
use armilla_cos_trading::repos::service_type_repository::PropertyMode;
use maud::{Markup, html};

/// What stands before the name of a property in the name of its field.
pub(super) const PROPERTY: &str = "property:";

/// The rules of links, as forms and commands name them, and what a reader sees.
pub(super) const RULES: [(FollowOption, &str, &str); 3] = [
    (FollowOption::LocalOnly, "local_only", "local only"),
    (FollowOption::IfNoLocal, "if_no_local", "if nothing is found here"),
    (FollowOption::Always, "always", "always"),
];

/// What an operator does with a service type.
pub(super) fn type_forms(model: &Model, service_type: &ServiceType) -> Markup {
    let name = &service_type.name;
    let form = |action: &str, label: &str, question: String| {
        html! {
            form data-send action="/type" method="post" data-confirm=(question) {
                input type="hidden" name="name" value=(name);
                input type="hidden" name="action" value=(action);
                button aria-label=(format!("{label} {name}")) { (label) }
            }
        }
    };
    html! {
        div.buttons {
            @if service_type.declared.masked {
                (form("unmask", "Unmask", format!("Let {name} take offers again?")))
            } @else {
                (form("mask", "Mask",
                    format!("Let {name} take no more offers? Those that it has stay.")))
            }
            @if model.offer_count_of(name) == 0 {
                (form("remove", "Remove", format!("Remove the service type {name}?")))
            }
        }
    }
}

pub(super) fn withdraw(id: &str) -> Markup {
    html! {
        form data-send action="/withdraw" method="post"
            data-confirm=(format!("Withdraw the offer {id}?")) {
            input type="hidden" name="id" value=(id);
            button aria-label=(format!("Withdraw {id}")) { "Withdraw" }
        }
    }
}

/// The form that exports an offer of a type, with a field for each of its properties.
pub(super) fn export(service_type: &ServiceType) -> Markup {
    html! {
        details {
            summary { "New offer of " (service_type.name) }
            form.fields data-send action="/export" method="post" {
                input type="hidden" name="type" value=(service_type.name);
                label for="reference" { "Object" }
                input #reference name="reference" required placeholder="IOR:… or corbaloc:…";
                @for property in &service_type.properties {
                    @let id = format!("{PROPERTY}{}", property.name);
                    label for=(id) { (property.name) }
                    input id=(id) name=(id) required[is_mandatory(property.mode)]
                        placeholder=(format!(
                            "{}{}", armilla_ifr::model::type_name(&property.value_type),
                            suffix(property.mode),
                        ));
                }
                button { "Export" }
            }
            p.quiet { "A value is JSON; the quotes of a text may be left out." }
        }
    }
}

fn suffix(mode: PropertyMode) -> &'static str {
    match (is_mandatory(mode), is_readonly(mode)) {
        (true, true) => ", mandatory, cannot be changed later",
        (true, false) => ", mandatory",
        (false, true) => ", cannot be changed later",
        (false, false) => "",
    }
}

/// The form that makes a link to another trader.
pub(super) fn link() -> Markup {
    html! {
        details {
            summary { "New link" }
            form.fields data-send action="/link" method="post" {
                label for="name" { "Name" }
                input #name name="name" required;
                label for="reference" { "Trader" }
                input #reference name="reference" required
                    placeholder="corbaloc::HOST:PORT/TradingService or IOR:…";
                label for="default" { "Passed on" }
                (rule("default", FollowOption::LocalOnly, "default"))
                label for="limit" { "Limit" }
                (rule("limit", FollowOption::Always, "limit"))
                button { "Link" }
            }
        }
    }
}

fn rule(name: &str, chosen: FollowOption, id: &str) -> Markup {
    html! {
        select id=(id) name=(name) {
            @for (option, value, text) in RULES {
                option value=(value) selected[option == chosen] { (text) }
            }
        }
    }
}

/// What an operator does with a link.
pub(super) fn link_forms(name: &str, link: &LinkInfo) -> Markup {
    let chosen = |field: &str, label: &str, chosen: FollowOption| {
        html! {
            label { (label) " " (rule(field, chosen, &format!("{field}-{name}"))) }
        }
    };
    html! {
        details {
            summary aria-label=(format!("Change {name}")) { "Change" }
            form.row data-send action="/relink" method="post" {
                input type="hidden" name="name" value=(name);
                (chosen("default", "Passed on", link.def_pass_on_follow_rule))
                (chosen("limit", "Limit", link.limiting_follow_rule))
                button { "Set" }
            }
            form data-send action="/unlink" method="post"
                data-confirm=(format!("Remove the link {name}? Queries do not go on there any more.")) {
                input type="hidden" name="name" value=(name);
                button aria-label=(format!("Remove {name}")) { "Remove" }
            }
        }
    }
}

pub(super) fn rule_text(option: FollowOption) -> &'static str {
    RULES.iter().find(|(rule, ..)| *rule == option).map_or("", |(.., text)| text)
}
