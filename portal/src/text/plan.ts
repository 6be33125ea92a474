/** Returns a plan's display name: its title, or its name if it has none. */
export function planTitle(plan: { title: string; name: string }): string {
  return plan.title || plan.name;
}

/** Returns the display name of a subscription's plan. */
export function planOf(subscription: { plan_title: string; plan_name: string }): string {
  return planTitle({ title: subscription.plan_title, name: subscription.plan_name });
}
