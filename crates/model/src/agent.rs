//! Programs that call, by the field `User-Agent` (RFC 9110, section 10.1.5): a closed list of
//! families, without versions.

/// A family of programs; the default is any other program, or none named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Agent(u16);

/// The word of each family, and a text that its programs have in their field. The first that fits
/// is it: browsers name those that they want to be taken for. Because places are stored, rows are
/// added at the end and never reordered.
const FAMILIES: &[(&str, &str)] = &[
    ("edge", " Edg"),
    ("opera", " OPR/"),
    ("samsung_internet", "SamsungBrowser/"),
    ("firefox", "Firefox/"),
    ("headless_chrome", "HeadlessChrome/"),
    ("electron", "Electron/"),
    ("googlebot", "Googlebot"),
    ("bingbot", "bingbot"),
    ("gptbot", "GPTBot"),
    ("chatgpt", "ChatGPT-User"),
    ("claude", "Claude"),
    ("perplexity", "Perplexity"),
    ("uptime_robot", "UptimeRobot"),
    ("pingdom", "Pingdom"),
    ("site24x7", "Site24x7"),
    ("statuscake", "StatusCake"),
    ("datadog", "Datadog"),
    ("new_relic", "NewRelic"),
    ("outlook", "Microsoft Outlook"),
    ("power_query", "Microsoft.Data.Mashup"),
    ("power_automate", "azure-logic-apps"),
    ("azure_api_management", "Azure-API-Management"),
    ("chrome", "Chrome/"),
    ("safari", "Safari/"),
    ("internet_explorer", "Trident/"),
    ("curl", "curl/"),
    ("wget", "Wget/"),
    ("httpie", "HTTPie/"),
    ("xh", "xh/"),
    ("postman", "PostmanRuntime/"),
    ("insomnia", "insomnia/"),
    ("bruno", "bruno-runtime/"),
    ("hoppscotch", "Hoppscotch"),
    ("paw", "Paw/"),
    ("rapidapi", "RapidAPI"),
    ("soapui", "SoapUI"),
    ("soapui_old", "Jakarta Commons-HttpClient"),
    ("python_requests", "python-requests/"),
    ("python_urllib3", "python-urllib3/"),
    ("python_urllib", "Python-urllib/"),
    ("aiohttp", "aiohttp/"),
    ("httpx", "python-httpx/"),
    ("zeep", "Zeep/"),
    ("go", "Go-http-client/"),
    ("resty", "go-resty/"),
    ("okhttp", "okhttp/"),
    ("apache_httpclient", "Apache-HttpClient/"),
    ("apache_httpasyncclient", "Apache-HttpAsyncClient/"),
    ("java_http_client", "Java-http-client/"),
    ("java", "Java/"),
    ("jersey", "Jersey/"),
    ("reactor_netty", "ReactorNetty/"),
    ("ktor", "Ktor client"),
    ("axis2", "Axis2"),
    ("axis", "Axis/"),
    ("cxf", "Apache-CXF"),
    ("metro", "Metro/"),
    ("jax_ws_ri", "JAX-WS RI"),
    ("gsoap", "gSOAP/"),
    ("node_fetch", "node-fetch"),
    ("undici", "undici"),
    ("axios", "axios/"),
    ("got", "got ("),
    ("superagent", "node-superagent/"),
    ("node", "node"),
    ("deno", "Deno/"),
    ("bun", "Bun/"),
    ("faraday", "Faraday"),
    ("rest_client", "rest-client/"),
    ("ruby", "Ruby"),
    ("guzzle", "GuzzleHttp/"),
    ("php_soap", "PHP-SOAP/"),
    ("php", "PHP/"),
    ("symfony", "Symfony"),
    ("dotnet_wcf", "MS Web Services Client"),
    ("restsharp", "RestSharp/"),
    ("dotnet", ".NET"),
    ("powershell", "PowerShell/"),
    ("cfnetwork", "CFNetwork/"),
    ("alamofire", "Alamofire/"),
    ("dart", "Dart/"),
    ("reqwest", "reqwest/"),
    ("ureq", "ureq/"),
    ("hyper", "hyper/"),
    ("perl", "libwww-perl/"),
    ("r_httr", "httr"),
    ("coldfusion", "ColdFusion"),
    ("cfschedule", "CFSCHEDULE"),
    ("mulesoft", "AHC/"),
    ("boomi", "Boomi"),
    ("zapier", "Zapier"),
    ("n8n", "n8n"),
    ("salesforce", "SFDC-Callout"),
    ("sap", "SAP "),
    ("workato", "Workato"),
    ("k6", "k6/"),
    ("jmeter", "JMeter"),
    ("gatling", "Gatling/"),
    ("locust", "Locust"),
    ("vegeta", "vegeta"),
    ("wrk", "wrk/"),
    ("hey", "hey/"),
    ("apache_bench", "ApacheBench/"),
    ("oha", "oha/"),
    ("kube_probe", "kube-probe/"),
    ("prometheus", "Prometheus/"),
    ("elb_health_checker", "ELB-HealthChecker/"),
    ("google_health_checker", "GoogleHC/"),
    ("consul", "Consul Health Check"),
    ("nagios", "check_http/"),
    ("zabbix", "Zabbix"),
];

impl Agent {
    /// Returns the family that a field's value names.
    #[must_use]
    pub fn of(user_agent: &[u8]) -> Self {
        let names = |mark: &str| memchr::memmem::find(user_agent, mark.as_bytes()).is_some();
        let place = FAMILIES.iter().position(|(_, mark)| names(mark));
        Self(place.map_or(0, |place| {
            u16::try_from(place + 1).expect("the list is short")
        }))
    }

    /// Returns the word of the family, as in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        let place = usize::from(self.0).checked_sub(1);
        let family = place.and_then(|place| FAMILIES.get(place));
        family.map_or("other", |(word, _)| word)
    }

    /// Returns its number in stored records.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// Returns the family with a stored number; one that a later release added is another program.
    #[must_use]
    pub const fn from_number(number: u16) -> Self {
        match (number as usize) <= FAMILIES.len() {
            true => Self(number),
            false => Self(0),
        }
    }
}

#[cfg(test)]
mod tests;
