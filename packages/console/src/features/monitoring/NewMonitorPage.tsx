/** Creates a browser monitor. */
import { monitorCreate, MonitorCreate } from '@slipway/contract/monitoring/monitor.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/index.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { NewForm, NewPage } from '#entities/resource/NewPage.tsx';
import { useWrite } from '#kit/api/write.ts';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { fromLines, MonitorFields, monitorLabels, withLines } from './MonitorFields.tsx';

export const Component = () => (
  <NewPage
    title="New browser monitor"
    lede="Web vitals, errors and calls of your pages."
    hrefOf={paths.newMonitor}
    membersOnly="Browser monitors"
  >
    {(place, reason) => <NewMonitor place={place} reason={reason} />}
  </NewPage>
);

const Values = withLines(MonitorCreate);

function NewMonitor({ place, reason }: { place: AppRef; reason: string | undefined }) {
  const { send } = useWrite(monitorCreate);
  const navigate = useNavigate();
  const form = useApiForm({
    schema: Values,
    defaultValues: { name: `${place.app}-web`, allowedOrigins: '', samplePercent: 100, retentionDays: '30' },
    labels: { name: 'Name', ...monitorLabels },
    onSubmit: async (values) => {
      const body = fromLines(values);
      await send({ params: { ...place }, body: { ...body, name: values.name } });
      toast.success(`${values.name} is created`);
      await navigate(paths.monitor({ ...place, monitor: values.name }, 'setup'));
      await refresh({ kind: 'monitor', ...place });
    },
  });
  return (
    <NewForm noun="browser monitor" form={form} disabledReason={reason} cancelHref={paths.monitors(place)}>
      <TextField form={form} name="name" hint="Lowercase letters, digits and hyphens." />
      <MonitorFields form={form} />
    </NewForm>
  );
}
