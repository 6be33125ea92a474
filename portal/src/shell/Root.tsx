import { Outlet } from "@tanstack/react-router";
import { Notices } from "../ui/Notices";
import { LostSession } from "./LostSession";

export function Root() {
  return (
    <>
      <Outlet />
      <LostSession />
      <Notices />
    </>
  );
}
