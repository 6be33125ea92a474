// One call at a time: pending, cancelled, or completed.

import { useEffect, useRef, useState } from "react";
import { type Called, call } from "./call";
import { type CallRequest, provenBy } from "./call_request";
import { cacheResultOf } from "./cache_status";
import { TRIAL_FIELD, type Trying, forget, proof } from "./trial";

export interface Calling {
  isWaiting: boolean;
  /** Body bytes received while the call is pending. */
  bytes: number;
  /** The result of the last call. */
  called: Called | undefined;
  /** Why there was no call: the credential could not be obtained. */
  error: unknown;
  /** Whether the gateway has a cache of these calls, and lets them ask for a fresh response. */
  mayBeFresh: boolean;
  isFresh: boolean;
  setFresh: (isFresh: boolean) => void;
  send: (request: CallRequest, trying: Trying | undefined) => Promise<void>;
  cancel: () => void;
}

/** The page is rendered again after at least this many bytes. */
const STEP_BYTES = 64 * 1024;

export function useCalling(): Calling {
  const [isWaiting, setWaiting] = useState(false);
  const [bytes, setBytes] = useState(0);
  const [called, setCalled] = useState<Called>();
  const [error, setError] = useState<unknown>();
  const [mayBeFresh, setMayBeFresh] = useState(false);
  const [isFresh, setFresh] = useState(false);
  const controller = useRef<AbortController>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const send = async (request: CallRequest, trying: Trying | undefined) => {
    if (controller.current !== null) return;
    const own = new AbortController();
    controller.current = own;
    setWaiting(true);
    setBytes(0);
    setCalled(undefined);
    setError(undefined);
    try {
      const proofs = trying === undefined ? [] : await proof(trying, isFresh);
      const headers = provenBy(request.headers, proofs);
      let told = 0;
      const onBytes = (come: number) => {
        if (come - told < STEP_BYTES) return;
        told = come;
        setBytes(come);
      };
      const came = await call({ ...request, headers }, { signal: own.signal, onBytes });
      if (trying !== undefined && came.isAnswered && came.status === 401) forget(trying);
      const isProven = proofs.some(([name]) => name === TRIAL_FIELD);
      if (isProven && came.isAnswered && cacheResultOf(came.headers)) setMayBeFresh(true);
      setCalled(came);
    } catch (thrown) {
      setError(thrown);
    } finally {
      controller.current = null;
      setWaiting(false);
    }
  };
  const cancel = () => controller.current?.abort();
  const fresh = { mayBeFresh, isFresh, setFresh };
  return { isWaiting, bytes, called, error, ...fresh, send, cancel };
}
