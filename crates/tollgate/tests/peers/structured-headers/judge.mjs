// Checks the fields RateLimit-Policy and RateLimit of responses by sections 3 and 4 of
// draft-ietf-httpapi-ratelimit-headers-10. Input: JSON, a list of objects with `policy` and
// `limit`, the fields' values. Ends with 1 and a line for each fault, or else writes the number of
// members as JSON.
import { text } from 'node:stream/consumers'
import { parseList } from 'structured-headers'

// Those that the draft registers, and ours of limits on units.
const UNITS = ['requests', 'content-bytes', 'concurrent-requests', 'units']
const KNOWN = { policy: ['q', 'qu', 'w', 'pk'], limit: ['r', 't', 'pk'] }

const faults = []
let members = 0

const isCount = value => Number.isInteger(value) && value >= 0

// Returns the members of a field: their names and their parameters.
function read (field, value) {
  const list = parseList(value)
  if (list.length === 0) throw new Error('an empty list')
  members += list.length
  const seen = new Map()
  for (const [name, parameters] of list) {
    if (typeof name !== 'string') throw new Error('a name that is not a String')
    if (seen.has(name)) throw new Error(`${name} twice`)
    const unknown = [...parameters.keys()].filter(key => !KNOWN[field].includes(key))
    if (unknown.length > 0) throw new Error(`the parameter ${unknown}`)
    seen.set(name, parameters)
  }
  return seen
}

function check ({ policy, limit }) {
  const policies = read('policy', policy)
  for (const parameters of policies.values()) {
    const [q, qu, w] = ['q', 'qu', 'w'].map(key => parameters.get(key))
    if (!isCount(q)) throw new Error('q is not a non-negative Integer')
    if (qu !== undefined && !UNITS.includes(qu)) throw new Error(`the unit ${qu}`)
    if (w !== undefined && !(isCount(w) && w > 0)) throw new Error('w is not a positive Integer')
  }
  for (const [name, parameters] of read('limit', limit)) {
    const [r, t] = ['r', 't'].map(key => parameters.get(key))
    if (!policies.has(name)) throw new Error(`${name} is no policy`)
    if (!isCount(r)) throw new Error('r is not a non-negative Integer')
    if (r > policies.get(name).get('q')) throw new Error('r is greater than q')
    if (t !== undefined && !isCount(t)) throw new Error('t is not a non-negative Integer')
  }
}

for (const answer of JSON.parse(await text(process.stdin))) {
  try {
    check(answer)
  } catch (fault) {
    faults.push(`${fault.message}: ${JSON.stringify(answer)}`)
  }
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
console.log(JSON.stringify(members))
