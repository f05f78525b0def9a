//! Who may cross.

use crate::by_number::said;
use crate::site::{STORE_CLASS, Site};
use crate::views::{IShopStoreProxy, i_shop_store};
use armilla_dcerpc::Status;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::client::{Client, ClientOptions};
use armilla_security::AccessFile;

const RULES: &str = r#"
[[rule]]
allow = ["operator@SITE"]

[[rule]]
allow = ["*@SITE"]
poa = "bridge"
interface = "IDL:Shop/Store:1.0"
attribute = { read = "*" }
"#;

#[test]
fn rules_say_who_calls_what() {
    let folder = std::env::temp_dir().join(format!("armilla-bridge-rules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("rules.toml");
    std::fs::write(&file, RULES).unwrap();
    let rules = AccessFile::open(&file).unwrap();
    let site = Site::with(|options| options.rules = Some(rules));
    let (_client, store) = site.view();
    store.call_by_name("add", &[1.into()]).unwrap();
    let options = ClientOptions::new(Credentials::new("SITE", "guest", "secret"));
    let client = Client::new(options).unwrap();
    let host = format!("127.0.0.1[{}]", site.gateway.address().port());
    let store = client.activate(&host, STORE_CLASS, DISPATCH.uuid).unwrap();
    store.get("value").unwrap();
    let refused = store.call_by_name("add", &[1.into()]).unwrap_err();
    assert_eq!(refused.hresult(), Status::E_ACCESS_DENIED);
    assert!(refused.to_string().contains("the rules do not let guest@SITE call add"), "{refused}");
    let by_number = IShopStoreProxy(store.query_interface(i_shop_store::IID).unwrap());
    let refused = by_number.add(1).unwrap_err();
    assert_eq!(refused.hresult(), Status::E_ACCESS_DENIED);
    let (source, why) = said(&refused);
    assert_eq!(source, "Shop::Store.add");
    assert!(why.contains("the rules do not let guest@SITE call add"), "{why}");
    assert_eq!(site.bridge.counts().refused, 2);
    std::fs::remove_dir_all(folder).unwrap();
}
