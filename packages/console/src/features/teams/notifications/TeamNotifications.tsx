/** Channels of a team, the events that each receives, and the delivery log. Only owners change them. */
import { notificationChannelList, type NotificationChannel } from '@slipway/contract/notification/notification.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useOutletContext } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { disabledUnless } from '#kit/error/messages.ts';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';
import type { Team } from '@slipway/contract/team.ts';
import { ChannelDialog, type MadeChannel } from './ChannelDialog.tsx';
import { ChannelTable } from './ChannelTable.tsx';
import { DeliveryLog } from './DeliveryLog.tsx';
import { EventTable } from './EventTable.tsx';

export interface TeamContext {
  id: string;
  team: Team | undefined;
}

export function Component() {
  const { id, team } = useOutletContext<TeamContext>();
  const list = useQuery(notificationChannelList, { params: { team: id } });
  const [dialog, setDialog] = useState<'new' | NotificationChannel>();
  const [made, setMade] = useState<MadeChannel>();
  const channels = list.data ?? [];
  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden="true" />}
      onClick={() => setDialog('new')}
      {...(team ? disabledUnless(team.can, 'update', { team: team.displayName }) : {})}
    >
      Add a channel
    </Button>
  );
  return (
    <>
      {made && <NewSecret made={made} onClose={() => setMade(undefined)} />}
      <div className="split split-side">
        <div className="stack stack-24">
          <Panel aria-labelledby="channels">
            <PanelHead title="Where to" titleId="channels" note="Only owners of the team change this.">
              {channels.length > 0 && add}
            </PanelHead>
            {list.error && !list.data ? (
              <ListError what="channels" query={list} />
            ) : list.data?.length === 0 ? (
              <EmptyState level={2} kind="first-use" title="No channels yet" actions={add}>
                Send what happens to this team's apps to an e-mail address, a webhook, Slack or Microsoft Teams.
              </EmptyState>
            ) : (
              <ChannelTable team={id} channels={list.data} onEdit={setDialog} />
            )}
          </Panel>
          {channels.length > 0 && <EventTable team={id} channels={channels} />}
        </div>
        <div className="stack stack-24">
          <DeliveryLog team={id} />
          <Panel aria-labelledby="own">
            <PanelHead title="For you alone" titleId="own">
              <Link className="in" href={paths.notifications('settings')}>
                Change
              </Link>
            </PanelHead>
            <PanelFoot>
              <span className="meta">Your own tray and e-mail. What you did yourself is never sent to you.</span>
            </PanelFoot>
          </Panel>
        </div>
      </div>
      {dialog && (
        <ChannelDialog team={id} {...(dialog === 'new' ? {} : { channel: dialog })} onClose={() => setDialog(undefined)} onMade={setMade} />
      )}
    </>
  );
}

function NewSecret({ made, onClose }: { made: MadeChannel; onClose: () => void }) {
  return (
    <ShownOnce
      title={
        <>
          The signing secret of <strong>{made.name}</strong>.
        </>
      }
      secret={made.secret}
      onClose={onClose}
    >
      <p className="meta">
        Each delivery is signed with it, in the header <code>X-Slipway-Signature</code>.{' '}
        <a className="in" href={paths.docs('webhooks/#verify-the-signature')} target="_blank" rel="noreferrer">
          How to check a signature
        </a>
      </p>
    </ShownOnce>
  );
}
