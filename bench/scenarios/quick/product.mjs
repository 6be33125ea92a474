// The product as the bench needs it: an API with three finite limits and its keys, set up over
// the control plane's HTTP API as anyone would.

const PASSWORD = 'a password for the bench only';
const KEYS_PER_APPLICATION = 20;
const AT_ONCE = 8;
/** The API's own limit: after the run, what is left of it tells what the counters counted. */
export const API_LIMIT = 100_000_000;

/** A signed-in client of the control plane. */
export async function signIn(address, name, oneTimePassword) {
  const first = await session(address, name, oneTimePassword);
  const change = { password: oneTimePassword, new_password: PASSWORD };
  await call(address, first, 'PUT', '/session/password', change);
  const headers = await session(address, name, PASSWORD);
  return async (method, path, body) => (await call(address, headers, method, path, body)).json();
}

async function session(address, name, password) {
  const answer = await call(address, {}, 'POST', '/session', { name, password });
  const [cookie] = answer.headers.getSetCookie()[0].split(';');
  return { cookie, 'x-csrf-token': (await answer.json()).csrf };
}

async function call(address, headers, method, path, body) {
  const answer = await fetch(`http://${address}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** Publishes an API in front of `upstream` and makes `count` keys for it. */
export async function publish(control, upstream, count) {
  const plan = await control('POST', '/plans', {
    name: 'bench',
    limits: [{ per: 'subscription', amount: 1_000_000_000, window: 'minute' },
      { per: 'application', amount: 1_000_000_000, window: 'hour' }],
  });
  const bench = { name: 'Bench', context: '/bench', version: '1.0' };
  const created = await control('POST', '/apis', bench);
  const version = created.version.id;
  await control('PATCH', `/versions/${version}/draft`, {
    operations: [{ method: 'GET', path: '/small' }],
    upstream: { url: upstream },
    limits: [{ per: 'api', amount: API_LIMIT, window: 'day' }],
  });
  await control('PUT', `/versions/${version}/plans`, [plan.id]);
  await control('POST', `/versions/${version}/lifecycle`, { to: 'published' });
  const keys = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index * KEYS_PER_APPLICATION < count; index = next++) {
      const application = (await control('POST', '/applications', { name: `bench ${index}` })).id;
      await control('POST', '/subscriptions', { application, version, plan: plan.id });
      for (let key = 0; key < KEYS_PER_APPLICATION; key++) {
        const path = `/applications/${application}/keys`;
        keys.push((await control('POST', path, { name: `key ${key}` })).key);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { version, keys: shuffled(keys) };
}

function shuffled(keys) {
  for (let at = keys.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [keys[at], keys[other]] = [keys[other], keys[at]];
  }
  return keys;
}
