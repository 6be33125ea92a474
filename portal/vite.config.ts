import locales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { aliases } from "./build/aliases.ts";
import { compress } from "./build/compress.ts";
import { theme } from "./build/theme.ts";
import { unused } from "./build/unused.ts";

/** The running binary that `make portal-dev` uses as its backend. */
const CONTROL = process.env["TOLLGATE_CONTROL"] ?? "http://127.0.0.1:9000";

export default defineConfig({
  // React Aria has thirty languages; the pages use one.
  plugins: [locales.vite({ locales: ["en-US"] }), react(), theme(), unused(), compress()],
  resolve: { alias: aliases },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // Modules used by more pages than any area has (the publisher's has 16) share a file: fewer
    // requests, better compression.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 17 }] } },
    },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
  },
  // The control plane compares Origin with Host, so both are passed on unchanged.
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      "/api/": { target: CONTROL, changeOrigin: false },
      "/oauth2/": { target: CONTROL, changeOrigin: false },
    },
  },
});
