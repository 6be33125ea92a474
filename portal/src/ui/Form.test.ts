import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Form } from "./Form";

// React Aria passes all props of a form, with its `onSubmit`, to the forms below it. The label is
// the one of them that markup shows.
test("a form within another one does not inherit its props", () => {
  const onSubmit = () => Promise.resolve();
  const inner = createElement(Form, { onSubmit, children: () => null });
  const outer = createElement(Form, { onSubmit, label: "Outer", children: () => inner });
  const forms = renderToStaticMarkup(outer).match(/<form[^>]*>/g);
  expect(forms?.map((form) => form.includes('aria-label="Outer"'))).toEqual([true, false]);
});
