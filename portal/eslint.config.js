// Lints that `make lint` runs on the portal, beside tsc and prettier. Our own rules give a reason.
import { defineConfig } from "eslint/config";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist", "shots", "src/api/schema.d.ts"] },
  tseslint.configs.strictTypeChecked,
  reactHooks.configs.flat.recommended,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["eslint.config.js", "build/run.js"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Numbers in templates are unambiguous.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `void` marks a promise that is not awaited.
      "@typescript-eslint/no-confusing-void-expression": "off",
      // TanStack Router's redirects are thrown but are not errors.
      "@typescript-eslint/only-throw-error": "off",
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: "foreign text is data: the page's policy forbids it, too",
        },
        {
          selector: "CallExpression[callee.name='fetch']",
          message:
            "requests to the control plane go through api/client.ts, calls through reference/call.ts",
        },
      ],
    },
  },
  {
    files: ["src/api/client.ts", "src/reference/call.ts", "tests/**"],
    rules: { "no-restricted-syntax": "off" },
  },
);
