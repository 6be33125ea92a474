import { PASSWORD, type Snippet, USER_NAME, doubleQuoted } from "./snippet";

export function java({ method, url, headers, body, credentials }: Snippet): string {
  const publisher =
    body === undefined
      ? "HttpRequest.BodyPublishers.noBody()"
      : `HttpRequest.BodyPublishers.ofString(${doubleQuoted(body)})`;
  const isBasic = credentials.some((it) => it.kind === "basic");
  const fields = [
    ...credentials.map((it) =>
      it.kind === "basic"
        ? `    .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user.getBytes()))`
        : `    .header(${doubleQuoted(it.header)}, ${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)} + `}System.getenv("${it.variable}"))`,
    ),
    ...headers.map(([name, value]) => `    .header(${doubleQuoted(name)}, ${doubleQuoted(value)})`),
  ];
  return [
    "import java.net.URI;",
    "import java.net.http.*;",
    ...(isBasic ? ["import java.util.Base64;"] : []),
    "",
    ...(isBasic
      ? [`var user = System.getenv("${USER_NAME}") + ":" + System.getenv("${PASSWORD}");`]
      : []),
    `var request = HttpRequest.newBuilder(URI.create(${doubleQuoted(url)}))`,
    `    .method(${doubleQuoted(method)}, ${publisher})`,
    ...fields,
    "    .build();",
    "var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());",
    `System.out.println(answer.statusCode() + " " + answer.body());`,
  ].join("\n");
}
