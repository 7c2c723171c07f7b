/** The fields of a blank service. */
import { megabytes } from '@slipway/ui/format/bytes.ts';
import { millicores } from '@slipway/ui/format/millicores.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { EnvironmentField } from '#entities/service/EnvironmentField.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { toName } from '#entities/service/NameHint.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import { RepositoryField } from '#features/services/dialogs/RepositoryField.tsx';
import { ServiceNameHint } from '#entities/service/ServiceNameHint.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { NewServiceWays } from '#entities/service/NewServiceWays.tsx';
import { paths } from '#entities/paths.ts';
import { imageBelow, type BlankValues } from './blank-service.ts';

interface FieldsProps {
  form: ApiForm<BlankValues>;
  app: string;
  env: string;
  /** `{host}/{app}/`. */
  prefix: string;
  /** Why the user may not create a service. */
  reason: string | undefined;
  aside: ReactNode;
}

export function BlankServiceForm({ form, app, env, prefix, reason, aside }: FieldsProps) {
  const [name, environment] = useWatch({ control: form.control, name: ['name', 'environment'] });
  return (
    <PageForm
      form={form}
      label="New blank service"
      hasGuard={false}
      startsFocused
      submitLabel="Review"
      busyLabel="Looking"
      disabledReason={reason}
      cancelHref={paths.appServices({ app, env })}
      aside={aside}
    >
      {reason !== undefined && <Notice tone="warn">{reason}</Notice>}
      <NewServiceWays place={{ app, env }} current="blank" />
      <TextField
        form={form}
        name="name"
        spellCheck={false}
        autoCapitalize="off"
        normalise={toName}
        hint={<ServiceNameHint place={{ app, env: environment, service: name }} />}
      />
      <EnvironmentField form={form} name="environment" hint="Copy it to the other one when it works." />
      <TextField
        form={form}
        name="spec.containerImageName"
        labelNote="optional"
        isMono
        spellCheck={false}
        autoCapitalize="off"
        lead={prefix}
        placeholder={name === `${app}-` ? `${app}-service` : name}
        normalise={(text) => imageBelow(prefix, text)}
        hint="Left empty, the service has an image of its own name."
      />
      <RepositoryField
        form={form}
        name="githubRepositoryName"
        labelNote="optional"
        app={app}
        none="No repository"
        hint={
          environment === 'production'
            ? 'A link, in production: pushes deploy to development alone.'
            : 'Each push to its main branch builds an image and deploys it.'
        }
      />
      <div className="pair">
        <NumberInputField form={form} name="spec.exposedPort" min={1} max={65_535} hint="Where the container listens." />
        <TextField
          form={form}
          name="spec.template.healthCheck.http.path"
          isMono
          spellCheck={false}
          hint="Answers 200 to 399 once it can serve."
        />
      </div>
      <Resources form={form} />
    </PageForm>
  );
}

function Resources({ form }: Pick<FieldsProps, 'form'>) {
  const { cpuMillicores, memoryMegabytes } = useWatch({ control: form.control, name: 'spec.resources' });
  return (
    <div className="pair">
      <NumberInputField
        form={form}
        name="spec.resources.cpuMillicores"
        unit="m"
        min={50}
        max={16_000}
        step={50}
        hint={cpuMillicores === null ? 'Of each instance.' : `${millicores(cpuMillicores)}, each instance.`}
      />
      <NumberInputField
        form={form}
        name="spec.resources.memoryMegabytes"
        unit="MB"
        min={64}
        max={65_536}
        step={64}
        hint={memoryMegabytes === null ? 'Of each instance.' : `At most ${megabytes(memoryMegabytes)}, each instance.`}
      />
    </div>
  );
}
