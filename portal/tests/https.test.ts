// The portal over HTTPS: the same policy, and a cookie that only HTTPS carries.

import { expect, test } from "vitest";
import { launchBrowser, open, settled, signIn } from "./support/browser";
import { Tollgate } from "./support/tollgate";

test("over HTTPS nothing is breached", async () => {
  const [browser, tollgate] = await Promise.all([launchBrowser(), Tollgate.startHttps()]);
  try {
    const baseURL = tollgate.controlHttps ?? "";
    const { page, faults } = await open(browser, tollgate, { baseURL, ignoreHTTPSErrors: true });
    await signIn(page, tollgate.administrator);
    await settled(page);
    expect(new URL(page.url()).protocol).toBe("https:");
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({
      name: "__Secure-tollgate_session",
      secure: true,
      httpOnly: true,
      sameSite: "Strict",
      path: "/api/v1",
    });
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
    await tollgate.stop();
  }
});
