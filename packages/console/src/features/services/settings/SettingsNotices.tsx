/** Notices above the form: why it is read-only, a kept draft, changes by others, and the revision it was filled in from. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import { applicationView } from '@slipway/contract/application.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Lock } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { messageFor } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';
import { useSettings } from './settings-context.ts';
import type { DraftOffer } from './use-kept-draft.ts';

const PlanDiff = lazy(async () => ({ default: (await import('#entities/plan/PlanDiff.tsx')).PlanDiff }));

const changeLabel = (count: number): string => (count === 1 ? '1 change' : `${count} changes`);

export function LockNotice() {
  const { place, view, isMember } = useSettings();
  const { data: app } = useQuery(applicationView, { params: { app: place.app } });
  const owners = useTeamOwners(isMember ? undefined : app?.teamId);
  if (view.canEdit === true) return null;
  if (!isMember)
    return (
      <Notice icon={<Lock aria-hidden="true" />}>
        {app && `You are not in ${app.teamName}: you can look, but not change anything.${owners ? ` Ask ${owners} to add you.` : ''}`}
      </Notice>
    );
  const isApplying = view.canEdit === 'DeployPipelineAlreadyRunning';
  return (
    <Notice
      tone={isApplying ? 'run' : 'idle'}
      isLive
      {...(view.pipelineId === null
        ? {}
        : {
            actions: (
              <LinkButton size="sm" href={paths.pipeline({ ...place, pipeline: view.pipelineId })}>
                View pipeline
              </LinkButton>
            ),
          })}
    >
      {isApplying
        ? 'The settings cannot be edited while a previous change is applying.'
        : `The settings cannot be edited now. ${messageFor(view.canEdit, { team: app?.teamName ?? '' })}`}
    </Notice>
  );
}

export function OfferNotice({ offer }: { offer: DraftOffer }) {
  return (
    <Notice
      isLive
      actions={
        <>
          <Button size="sm" onClick={offer.take}>
            Bring back
          </Button>
          <Button size="sm" variant="quiet" onClick={offer.drop}>
            Forget
          </Button>
        </>
      }
    >
      {changeLabel(offer.count)} to these settings {offer.count === 1 ? 'was' : 'were'} made here and not applied.
    </Notice>
  );
}

/** `theirs`: changes by others. `both`: labels of settings that were edited here as well. */
export function ConflictNotice({
  theirs,
  both,
  onContinue,
}: {
  theirs: readonly ServiceChange[];
  both: readonly string[];
  onContinue: () => void;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="stack stack-8">
      <Notice
        tone="warn"
        isLive
        actions={
          <>
            <Button size="sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? 'Hide changes' : 'Show changes'}
            </Button>
            <Button size="sm" onClick={onContinue}>
              Continue on the new settings
            </Button>
          </>
        }
      >
        {messageFor('SettingsChangedMeanwhile')} {changeLabel(theirs.length)}; what you edited is kept.
        {both.length > 0 && ` Edited by both: ${both.join(', ')}. Yours stays unless you put it back.`}
      </Notice>
      <Suspense fallback={null}>{isShown && <PlanDiff changes={theirs} />}</Suspense>
    </div>
  );
}

export function FilledNotice({ revision }: { revision: string }) {
  const { place } = useSettings();
  return (
    <Notice
      tone="run"
      actions={
        <LinkButton size="sm" href={paths.revision({ ...place, revision })}>
          View {revision}
        </LinkButton>
      }
    >
      Filled in from {revision}. Fix what was wrong, then review and apply.
    </Notice>
  );
}
