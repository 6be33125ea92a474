/** Debian's Chromium, or the one of CHROMIUM. */
export const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
