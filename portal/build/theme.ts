// The script that chooses light or dark before the first paint: it must block, so it is no module,
// and the page's policy wants a file of it.

import { createHash } from "node:crypto";
import type { Plugin } from "vite";

const SCRIPT = `try{var t=localStorage.getItem("theme");if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}\n`;

/** Puts the script into the head of the page, by a name that holds its digest. */
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
