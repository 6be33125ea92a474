import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Application, changeApplication } from "../../api/queries/applications";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { LimitsField } from "../../ui/LimitsField";
import { SaveActions } from "../../ui/SaveActions";
import { inForce } from "../../ui/in_force";
import { readLimit, writeLimits } from "../../ui/limit_fields";
import { ApplicationFrame } from "./ApplicationFrame";

const words = text.developer.application.ownLimits;
const route = getRouteApi("/shell/admin/applications/$application/limits");

export function ApplicationLimitsPage() {
  const { application: id } = route.useParams();
  return (
    <ApplicationFrame id={id} tab={text.developer.application.limits}>
      {(application) => <Limits key={id} application={application} />}
    </ApplicationFrame>
  );
}

function Limits({ application: { id, limits: present } }: { application: Application }) {
  const [saved, setSaved] = useState(() => present.map((it) => readLimit(it, "application")));
  const [limits, setLimits] = useState(saved);
  const isDirty = JSON.stringify(limits) !== JSON.stringify(saved);
  const save = async () => {
    const written = writeLimits(limits, "application", "/limits");
    await inForce(changeApplication(id, { limits: written }), words.saved);
    setSaved(limits);
  };
  return (
    <Card title={words.title} note={words.lead}>
      <LeaveGuard isDirty={isDirty} />
      <Form onSubmit={save}>
        {(isPending) => (
          <>
            <LimitsField
              owner="application"
              limits={limits}
              onChange={setLimits}
              pointer="/limits"
              empty={words.none}
            />
            <SaveActions isPending={isPending} isDirty={isDirty} />
          </>
        )}
      </Form>
    </Card>
  );
}
