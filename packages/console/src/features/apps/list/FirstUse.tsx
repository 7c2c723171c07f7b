/** The dashboard of a user whose teams have no apps yet: three ways to start, and one from a terminal. */
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { useMyTeamList } from '#entities/team/me.ts';
import { paths } from '#entities/paths.ts';
import { StartCards } from '#features/apps/create/StartCards.tsx';

const commandFor = (team: string): string =>
  `curl -X POST ${location.origin}/api/v1/quickstart/applications -H "Authorization: Bearer $SLIPWAY_TOKEN" -H "Content-Type: application/json" ` +
  `-d '{"id":"my-first-app","teamId":"${team}","template":"node-http-api"}'`;

export function FirstUse({ isMine }: { isMine: boolean }) {
  const [team] = useMyTeamList();
  return (
    <div className="stack stack-24">
      <div className="stack stack-4">
        <h2>{isMine ? 'Your teams have no apps yet' : 'There are no apps yet'}</h2>
        <p className="quiet">
          An app holds your services, secrets and databases, once for development and once for production.
          <br />
          Start with whichever you already have.
        </p>
      </div>
      <StartCards />
      <div className="stack stack-8">
        <h3>Or from a terminal</h3>
        <CommandLine command={commandFor(team?.id ?? 'my-team')} />
        <p className="meta">
          The token comes from <Link href={paths.tokens()}>API tokens</Link>; it needs the scope write.
        </p>
      </div>
      <p className="quiet">
        {team
          ? 'Joining an app that exists? Ask one of its owners to add you to the team. '
          : 'You are in no team yet. Make one, or ask an owner to add you. '}
        <Link href={paths.allTeams()}>See all teams</Link>
        {!team && (
          <>
            {' or '}
            <Link href={paths.newTeam()}>make a team</Link>
          </>
        )}
        .
      </p>
    </div>
  );
}
