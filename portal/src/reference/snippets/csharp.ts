import { PASSWORD, type Snippet, USER_NAME, doubleQuoted } from "./snippet";

export function csharp({ method, url, headers, body, credentials }: Snippet): string {
  const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const others = headers.filter(([name]) => name.toLowerCase() !== "content-type");
  const add = (name: string, value: string) =>
    `request.Headers.TryAddWithoutValidation(${doubleQuoted(name)}, ${value});`;
  const variable = (name: string) => `Environment.GetEnvironmentVariable("${name}")`;
  const proofs = credentials.flatMap((it) =>
    it.kind === "basic"
      ? [
          `var user = ${variable(USER_NAME)} + ":" + ${variable(PASSWORD)};`,
          add("Authorization", `"Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes(user))`),
        ]
      : [
          add(
            it.header,
            `${it.prefix === "" ? "" : `${doubleQuoted(it.prefix)} + `}${variable(it.variable)}`,
          ),
        ],
  );
  const content =
    body === undefined
      ? []
      : [
          `request.Content = new StringContent(${doubleQuoted(body)});`,
          `request.Content.Headers.Remove("Content-Type");`,
          `request.Content.Headers.TryAddWithoutValidation("Content-Type", ${doubleQuoted(type ?? "text/plain")});`,
        ];
  return [
    "using System.Text;",
    "",
    "using var client = new HttpClient();",
    `var request = new HttpRequestMessage(new HttpMethod(${doubleQuoted(method)}), ${doubleQuoted(url)});`,
    ...proofs,
    ...others.map(([name, value]) => add(name, doubleQuoted(value))),
    ...content,
    "var answer = await client.SendAsync(request);",
    `Console.WriteLine($"{(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");`,
  ].join("\n");
}
