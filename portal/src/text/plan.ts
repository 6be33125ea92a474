/** What people call a plan: its title, or its name if it has none. */
export function planTitle(plan: { title: string; name: string }): string {
  return plan.title || plan.name;
}

/** What people call the plan of a subscription. */
export function planOf(subscription: { plan_title: string; plan_name: string }): string {
  return planTitle({ title: subscription.plan_title, name: subscription.plan_name });
}
