/** Details of an app below its name: code, environment, team and macId. Team and macId can be changed here (specification §1). */
import type { Application } from '@slipway/contract/application.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { paths } from '#entities/paths.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { ChangeTeamDialog } from './ChangeTeamDialog.tsx';
import { MacIdDialog } from './MacIdDialog.tsx';
import css from './AppDetails.module.css';

export interface AppDetailsProps {
  id: string;
  env: Environment;
  /** Undefined until it is loaded. */
  app: Application | undefined;
  /** Additional details at the end. */
  more?: readonly Detail[];
}

export function AppDetails({ id, env, app, more = [] }: AppDetailsProps) {
  const [open, setOpen] = useState<'team' | 'macId'>();
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Details
        items={[
          { label: 'App code', value: <code>{id}</code> },
          { label: 'Environment', value: env === 'production' ? 'Production' : 'Development', isWideOnly: true },
          { label: 'Team', value: app ? <Team app={app} onChange={() => setOpen('team')} /> : '–' },
          macIdDetail(app, () => setOpen('macId')),
          ...more,
        ]}
      />
      {app && open === 'team' && <ChangeTeamDialog app={app} onClose={close} />}
      {app && open === 'macId' && <MacIdDialog app={app} onClose={close} />}
    </>
  );
}

function Team({ app, onChange }: { app: Application; onChange: () => void }) {
  return (
    <span className={css.control}>
      <Link href={paths.team(app.teamId)}>{app.teamName}</Link>
      <IconButton
        label="Change team"
        variant="quiet"
        size="sm"
        className={css.small}
        icon={<Pencil aria-hidden="true" />}
        disabledReason={reasonOf(app.can, 'update', { team: app.teamName })}
        onClick={onChange}
      />
    </span>
  );
}

/** The macId can be set only once. */
const macIdDetail = (app: Application | undefined, onSet: () => void): Detail => {
  if (!app) return { label: 'macId', value: '–' };
  if (app.macId !== null) return { label: 'macId', value: app.macId, copyText: app.macId };
  return {
    label: 'macId',
    value: (
      <span className={css.control}>
        Not set
        <Button
          variant="quiet"
          size="sm"
          className={css.small}
          disabledReason={reasonOf(app.can, 'setMacId', { team: app.teamName })}
          onClick={onSet}
        >
          Set macId
        </Button>
      </span>
    ),
  };
};
