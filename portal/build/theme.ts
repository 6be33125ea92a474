// The script that selects the light or dark theme before the first paint. It must block, so it is
// not a module, and the page's policy requires it to be a file.

import { createHash } from "node:crypto";
import type { Plugin } from "vite";

const SCRIPT = `try{var t=localStorage.getItem("theme");if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}\n`;

/** Adds the script to the head of the page, under a name that contains its digest. */
export function theme(): Plugin {
  const digest = createHash("sha256").update(SCRIPT).digest("base64url").slice(0, 8);
  const fileName = `assets/theme-${digest}.js`;
  return {
    name: "theme",
    configureServer: (server) => {
      server.middlewares.use(`/${fileName}`, (_, answer) => {
        answer.setHeader("content-type", "text/javascript").end(SCRIPT);
      });
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName, source: SCRIPT });
    },
    transformIndexHtml: () => [
      { tag: "script", attrs: { src: `/${fileName}` }, injectTo: "head-prepend" },
    ],
  };
}
