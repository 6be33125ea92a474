import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { forgetCommands } from "./api/commands";
import { queryClient } from "./api/query_client";
import { router } from "./routes";
import { Forbidden } from "./shell/forbidden";
import "./ui/tokens.css";

router.subscribe("onBeforeLoad", ({ pathChanged }) => {
  if (pathChanged) forgetCommands();
});

const root = document.getElementById("root");
if (root) {
  // A forbidden page is not an error of the program.
  const onCaughtError = (error: unknown) => {
    if (!(error instanceof Forbidden)) console.error(error);
  };
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
