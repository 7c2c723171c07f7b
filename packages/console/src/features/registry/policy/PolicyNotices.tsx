/** Notices above the policy: why it is read-only, the change in progress, and the failure of the last change. */
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Lock } from 'lucide-react';
import { pipelinePath } from '#entities/paths.ts';
import { reasonOf } from '#kit/error/messages.ts';

interface PolicyNoticesProps {
  registry: ContainerRegistry;
  pipeline: PipelineRun | undefined;
  team: string;
}

export function PolicyNotices({ registry, pipeline, team }: PolicyNoticesProps) {
  const { state, can } = registry;
  const view = pipeline && (
    <LinkButton size="sm" href={pipelinePath(pipeline)}>
      View pipeline
    </LinkButton>
  );
  if (state === 'UPDATING' || state === 'DELETING') {
    return (
      <Notice tone="run" isLive actions={view}>
        {state === 'DELETING' ? (
          <strong>The project is being deleted with all its images.</strong>
        ) : (
          <>
            <strong>Your changes are being applied, so the fields are closed until then.</strong> If it fails, the old policy stays in force
            and your values come back as a draft.
          </>
        )}
      </Notice>
    );
  }
  if (state === 'DELETED') {
    return (
      <Notice>This app no longer has a registry project. The next quickstart or push creates one, and so does saving a policy.</Notice>
    );
  }
  const reason = reasonOf(can, 'update', { team });
  if (reason !== undefined) return <Notice icon={<Lock aria-hidden="true" />}>{reason}</Notice>;
  if (pipeline?.status.state === 'FAILED' && !isActive(pipeline.status.state)) {
    const step = pipeline.status.steps.find((one) => one.state === 'FAILED');
    return (
      <Notice tone="warn" actions={view}>
        <strong>
          {pipeline.pipelineType === 'DeleteContainerRegistry' ? 'The project was not deleted.' : 'The last change was not applied.'}
        </strong>{' '}
        {step && `It failed at “${step.name}”. `}
        {registry.draft
          ? 'The policy of before is in force; what you wanted is back in the form, not saved.'
          : 'The policy below is in force.'}
      </Notice>
    );
  }
  return null;
}
