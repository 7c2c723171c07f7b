/** Runs a service's pipeline with an image tag of its repository, newest first. Shows the plan before it starts. */
import { isPlan, runOf, type Plan, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { serviceDeploy, serviceTagList, type Service, type ServiceTag } from '@slipway/contract/service/service.ts';
import type { ComboboxOption } from '@slipway/ui/form/Combobox.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type * as z from 'zod/mini';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { paths } from '#entities/paths.ts';
import { ConfirmChanges } from '#entities/plan/ConfirmChanges.tsx';
import { dryRun } from '#entities/plan/dry-run.ts';
import { VersionChanges } from '#entities/plan/VersionChanges.tsx';

interface RunPipelineProps {
  service: Service;
  onClose: () => void;
}
type Tag = z.infer<typeof ServiceTag>;

const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

const optionOf = ({ tag, sizeBytes, pushedAt, isServing }: Tag): ComboboxOption => ({
  value: tag,
  label: tag,
  note: (
    <>
      {isServing && '▲ serving · '}
      {bytes(sizeBytes)} · <RelativeTime at={pushedAt} isShort />
    </>
  ),
});

/** Offers the typed text too, because a tag that is just being pushed is not in the list yet. The server checks it. */
const optionsOf = (tags: readonly Tag[], typed: string): ComboboxOption[] => {
  const text = typed.trim();
  const found = tags.filter(({ tag }) => tag.toLowerCase().includes(text.toLowerCase())).map(optionOf);
  const isNew = tagPattern.test(text) && !tags.some(({ tag }) => tag === text);
  return isNew ? [...found, { value: text, label: text, note: 'not in the list' }] : found;
};

interface Chosen {
  body: { imageTag: string };
  plan: Plan;
}

export default function RunPipelineDialog({ service, onClose }: RunPipelineProps) {
  const [chosen, setChosen] = useState<Chosen>();
  const deploy = useWrite(serviceDeploy);
  const navigate = useNavigate();
  const place = { app: service.app, env: service.environment, service: service.name };
  const begun = async (run: PlanOrRun, imageTag: string): Promise<void> => {
    toast.success(`${service.name} runs its pipeline with ${imageTag}`);
    await navigate(paths.pipeline({ ...place, pipeline: runOf(run).pipelineId }));
  };
  if (!chosen) {
    return (
      <ChooseTag
        service={service}
        onClose={onClose}
        onChosen={async (body) => {
          const plan = await dryRun(serviceDeploy, { params: place, body });
          await (isPlan(plan) ? setChosen({ body, plan }) : begun(plan, body.imageTag));
        }}
      />
    );
  }
  return (
    <ConfirmChanges
      plan={chosen.plan}
      title={`Run pipeline with ${chosen.body.imageTag}`}
      subject={service.name}
      environment={service.environment}
      confirmLabel={service.environment === 'production' ? 'Run in production' : 'Run pipeline'}
      busyLabel="Starting"
      keepLabel="Choose another tag"
      onClose={() => setChosen(undefined)}
      onConfirm={async () => begun(await deploy.send({ params: place, body: chosen.body }), chosen.body.imageTag)}
    >
      <VersionChanges image={chosen.plan.image} secretVersions={chosen.plan.secretVersions} />
    </ConfirmChanges>
  );
}

function ChooseTag({ service, onClose, onChosen }: RunPipelineProps & { onChosen: (body: Chosen['body']) => Promise<void> }) {
  const [typed, setTyped] = useState('');
  const place = { app: service.app, env: service.environment, service: service.name };
  const tags = useQuery(serviceTagList, { params: place }, { pollMs: 0 });
  const form = useApiForm({
    schema: serviceDeploy.body,
    defaultValues: { imageTag: '' },
    labels: { imageTag: 'Container image tag' },
    onSubmit: onChosen,
  });
  const image = service.spec.containerImageName;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Run pipeline of ${service.name}`}
      label="Run pipeline"
      submitLabel="Review"
      busyLabel="Looking"
    >
      {tags.error && !tags.data && (
        <Notice tone="bad" isLive>
          The tags could not be loaded. Type the tag, or close this and try again.
        </Notice>
      )}
      <ComboboxField
        form={form}
        name="imageTag"
        isMono
        searchLabel="Search or type a tag"
        placeholder="Choose a tag"
        emptyText={typed === '' ? 'The repository has no image yet' : 'No tag fits'}
        isLoading={tags.isLoading}
        onSearch={setTyped}
        options={optionsOf(tags.data ?? [], typed)}
        hint={
          <>
            Of <code>{image}</code>, newest first.
          </>
        }
      />
    </FormDialog>
  );
}
