/**
 * Debian's headless Chromium shell, in which the tests take little more than half as long; or the
 * browser in CHROMIUM.
 */
export const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell";
