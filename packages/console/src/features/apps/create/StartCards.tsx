/** The three ways to start a new app, each with its result. Used on the first-use dashboard and on the new-app page. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { StartCard } from '@slipway/ui/feedback/StartCard.tsx';
import { GitBranch, Globe, Link2, Minus, Package, Search, Server, Users } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import css from './StartCards.module.css';

export function StartCards() {
  return (
    <div className={css.starts}>
      <StartCard
        isMain
        title="Quickstart"
        gets={[
          { icon: <GitBranch aria-hidden="true" />, text: 'A repository with working code; a push deploys it' },
          { icon: <Package aria-hidden="true" />, text: 'A registry project for its images' },
          { icon: <Server aria-hidden="true" />, text: 'A first service, live in development' },
          { icon: <Globe aria-hidden="true" />, text: 'A URL that answers' },
        ]}
        action={
          <LinkButton href={paths.newAppQuickstart()} variant="primary" size="lg">
            Start from a template
          </LinkButton>
        }
      >
        You have an idea. Get a running service at a URL in seconds.
      </StartCard>
      <StartCard
        title="Blank"
        gets={[
          { icon: <Package aria-hidden="true" />, text: 'A registry project' },
          { icon: <Users aria-hidden="true" />, text: 'Access for your team' },
          { icon: <Minus aria-hidden="true" />, text: 'No repository and no service' },
        ]}
        action={
          <LinkButton href={paths.newAppBlank()} size="lg">
            Create a blank app
          </LinkButton>
        }
      >
        You have an image. Add services yourself.
      </StartCard>
      <StartCard
        title="From the catalog"
        gets={[
          { icon: <Search aria-hidden="true" />, text: 'Search by name or macId' },
          { icon: <Package aria-hidden="true" />, text: 'A registry project' },
          { icon: <Link2 aria-hidden="true" />, text: 'The macId, tied to the entry' },
        ]}
        action={
          <LinkButton href={paths.newAppCatalogue()} size="lg">
            Find the entry
          </LinkButton>
        }
      >
        The application is already registered. Take its name and macId from there.
      </StartCard>
    </div>
  );
}
