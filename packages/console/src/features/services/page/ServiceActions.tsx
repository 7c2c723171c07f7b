/** Actions for a service: show logs, activate or deactivate, delete, and run its pipeline. */
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { CircleArrowUp, Copy, Ellipsis, FileCode, GitBranch, KeyRound, Play, Power, ScrollText, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { disabledUnless, reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { useDialogHref } from '#features/services/dialogs/ServiceDialogs.tsx';
import { useUrlState } from '#kit/state/url-state.ts';

/** Loads the form when the user is about to press the button. */
const loadDialog = () => import('./RunPipelineDialog.tsx');
const RunPipelineDialog = lazy(loadDialog);
const ActivationDialog = lazy(() => import('./ActivationDialog.tsx'));
const DeleteServiceDialog = lazy(() => import('./DeleteServiceDialog.tsx'));

/** `?run=pipeline` and `?ask=delete` open the dialogs, so that other pages can link to them. */
const defaults = { run: '', ask: '' };

const logsReason = ({ can, status }: Service, team: string): string | undefined =>
  reasonOf(can, 'readLogs', { team }) ?? (status.serving === null ? 'No revision serves; each revision has its own log' : undefined);

export function ServiceActions({ service, team, hasDiagnosis }: { service: Service; team: string; hasDiagnosis: boolean }) {
  const { state, set } = useUrlState(defaults);
  const dialogHref = useDialogHref();
  const [open, setOpen] = useState<'activation' | 'delete'>();
  const close = (): void => {
    setOpen(undefined);
    if (state.ask !== '') set({ ask: '' }, { replace: true });
  };
  const reason = (verb: string) => disabledUnless(service.can, verb, { team });
  const logs = logsReason(service, team);
  const place = { app: service.app, env: service.environment, service: service.name };
  // One primary button per screen. For an inactive, failing or failed service, the card below has that button.
  const isMain = service.active && service.state === 'ACTIVE' && !hasDiagnosis && service.status.scaledDownAt === null;
  return (
    <>
      <LinkButton
        href={paths.revisionLogs({ ...place, revision: service.status.serving ?? '' })}
        icon={<ScrollText aria-hidden="true" />}
        {...(logs === undefined ? {} : { disabledReason: logs })}
      >
        Logs
      </LinkButton>
      {service.environment === 'development' && (
        <LinkButton href={paths.promoteApp(place)} icon={<CircleArrowUp aria-hidden="true" />} {...reason('readLogs')}>
          Promote to production
        </LinkButton>
      )}
      <Menu
        trigger={<IconButton label={`More actions for ${service.name}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          { label: 'Copy service', icon: <Copy aria-hidden="true" />, href: paths.copyService(place), ...reason('readLogs') },
          { label: 'service.yaml', icon: <FileCode aria-hidden="true" />, href: paths.serviceYaml(place), ...reason('readLogs') },
          {
            label: 'Manage secret groups',
            icon: <KeyRound aria-hidden="true" />,
            href: paths.serviceSecrets(place),
            ...reason('readLogs'),
          },
          {
            label: service.githubRepositoryName === null ? 'Connect to GitHub' : 'Source repository',
            icon: <GitBranch aria-hidden="true" />,
            href: dialogHref('repository'),
            ...reason('update'),
          },
          'line',
          {
            label: service.active ? 'Deactivate' : 'Activate',
            icon: <Power aria-hidden="true" />,
            onSelect: () => setOpen('activation'),
            ...reason('activate'),
          },
          'line',
          {
            label: 'Delete service',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => setOpen('delete'),
            ...reason('delete'),
          },
        ]}
      />
      <Button
        variant={isMain ? 'primary' : 'default'}
        icon={<Play aria-hidden="true" />}
        onPointerEnter={() => void loadDialog()}
        onFocus={() => void loadDialog()}
        onClick={() => set({ run: 'pipeline' })}
        {...reason('deploy')}
      >
        Run pipeline
      </Button>
      <Suspense fallback={null}>
        {state.run === 'pipeline' && <RunPipelineDialog service={service} onClose={() => set({ run: '' })} />}
        {open === 'activation' && <ActivationDialog service={service} active={!service.active} onClose={close} />}
        {(open === 'delete' || (state.ask === 'delete' && reason('delete').disabledReason === undefined)) && (
          <DeleteServiceDialog service={service} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
