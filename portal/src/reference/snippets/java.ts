import { PASSWORD, type Snippet, USER_NAME, doubleQuoted, filesOf, writtenOf } from "./snippet";

/** Headers that `HttpRequest.Builder` rejects with an exception. */
const RESTRICTED = /^(connection|content-length|expect|host|upgrade)$/i;

export function java(snippet: Snippet): string {
  const { method, url, credentials } = snippet;
  const { headers, pieces } = writtenOf(snippet);
  const isBasic = credentials.some((it) => it.kind === "basic");
  const fields = [
    ...credentials.map((it) =>
      it.kind === "basic"
        ? `    .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user.getBytes()))`
        : `    .header(${doubleQuoted(it.header)}, ${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)} + `}System.getenv("${it.variable}"))`,
    ),
    ...headers.map(([name, value]) =>
      RESTRICTED.test(name)
        ? `    // HttpClient does not allow the header ${name}.`
        : `    .header(${doubleQuoted(name)}, ${doubleQuoted(value)})`,
    ),
  ];
  return [
    "import java.net.URI;",
    "import java.net.http.*;",
    ...(filesOf(snippet).length > 0 ? ["import java.nio.file.Path;"] : []),
    ...(isBasic ? ["import java.util.Base64;"] : []),
    "",
    ...(isBasic
      ? [`var user = System.getenv("${USER_NAME}") + ":" + System.getenv("${PASSWORD}");`]
      : []),
    `var request = HttpRequest.newBuilder(URI.create(${doubleQuoted(url)}))`,
    `    .method(${doubleQuoted(method)}, ${publisherOf(pieces)})`,
    ...fields,
    "    .build();",
    "var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());",
    `System.out.println(answer.statusCode() + " " + answer.body());`,
  ].join("\n");
}

function publisherOf(pieces: readonly (string | File)[]): string {
  const publishers = pieces.map((it) =>
    typeof it === "string"
      ? `HttpRequest.BodyPublishers.ofString(${doubleQuoted(it)})`
      : `HttpRequest.BodyPublishers.ofFile(Path.of(${doubleQuoted(it.name)}))`,
  );
  if (publishers.length === 0) return "HttpRequest.BodyPublishers.noBody()";
  if (publishers.length === 1) return publishers.join("");
  const all = publishers.map((it) => `        ${it}`).join(",\n");
  return `HttpRequest.BodyPublishers.concat(\n${all})`;
}
