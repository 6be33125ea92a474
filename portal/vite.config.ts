import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { theme } from "./build/theme.ts";

/** The running binary that `make portal-dev` asks. */
const CONTROL = process.env["TOLLGATE_CONTROL"] ?? "http://127.0.0.1:9000";

export default defineConfig({
  plugins: [react(), theme(), compress()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
  },
  // `changeOrigin` is off: the control plane compares Origin with Host.
  server: { port: 5173, strictPort: true, proxy: { "/api": CONTROL, "/oauth2": CONTROL } },
});
