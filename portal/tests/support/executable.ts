/**
 * Debian's Chromium as the shell without windows, in which the tests take little more than half as
 * long; or the one of CHROMIUM.
 */
export const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell";
