// Runs the suite against a cache. Input: JSON with `base`, the URL in front of the suite's paths.
// Output: JSON, a row for each test with its `id`, its `kind` (required, optimal or check), the
// `outcome` as the suite's own pages show it, and `why`. Left out is Surrogate-Control, which is not of RFC 9111: a cache
// opts in by sending Surrogate-Capability.
import { text } from 'node:stream/consumers'
import { getResults, runTests } from 'http-cache-tests/client/runner.mjs'
import { determineTestResult } from 'http-cache-tests/lib/display.mjs'
import suites from 'http-cache-tests/tests/index.mjs'
import fetch from 'node-fetch'

const OUTCOMES = {
  '✅': 'pass',
  Y: 'pass',
  '⛔️': 'fail',
  '⚠️': 'fail',
  N: 'fail',
  '🔹': 'setup',
  '⚪️': 'dependency',
  '↻': 'retry',
  '⁉️': 'harness'
}

const { base } = JSON.parse(await text(process.stdin))
const tests = suites.flatMap(suite => suite.tests)

await runTests(suites, fetch, false, base)
const results = getResults()
const rows = tests.filter(test => test.id in results).map(test => ({
  id: test.id,
  kind: test.kind ?? 'required',
  outcome: OUTCOMES[determineTestResult(suites, test.id, results)[2]],
  why: results[test.id][1] ?? null
}))
console.log(JSON.stringify(rows))
