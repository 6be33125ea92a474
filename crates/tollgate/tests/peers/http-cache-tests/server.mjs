// The suite's own server, on a free port: prints `ready URL`, and ends when its input does.
process.env.npm_config_protocol = 'http'
process.env.npm_config_port = '0'
process.env.npm_config_pidfile = '/dev/null'

const print = console.log
console.log = line => {
  const port = /^Listening on http:.*:(\d+)\/$/.exec(line)?.[1]
  print(port ? `ready http://127.0.0.1:${port}` : line)
}
process.stdin.on('end', () => process.exit()).resume()

await import('http-cache-tests/server/server.mjs')
