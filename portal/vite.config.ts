import locales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { aliases } from "./build/aliases.ts";
import { compress } from "./build/compress.ts";
import { theme } from "./build/theme.ts";
import { unused } from "./build/unused.ts";

/** The running binary that `make portal-dev` asks. */
const CONTROL = process.env["TOLLGATE_CONTROL"] ?? "http://127.0.0.1:9000";

export default defineConfig({
  // React Aria speaks thirty languages; pages are in one.
  plugins: [locales.vite({ locales: ["en-US"] }), react(), theme(), unused(), compress()],
  resolve: { alias: aliases },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // What a third of the pages needs is one file: fewer requests, and better compressed.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 12 }] } },
    },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
  },
  // The control plane compares Origin with Host: both stay as the browser sent them.
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      "/api/": { target: CONTROL, changeOrigin: false },
      "/oauth2/": { target: CONTROL, changeOrigin: false },
    },
  },
});
