// An OpenID provider on a free port with a client for client credentials: prints `ready ISSUER`.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const client = {
  client_id: 'till',
  client_secret: 'the secret of the till',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}
const server = createServer().listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [client],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  })
  server.on('request', provider.callback())
  console.log(`ready ${issuer}`)
})
