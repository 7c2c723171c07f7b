/** The two ways to create a service, each with its own page: blank for an existing image, or from a template. */
import { paths, type AppRef } from '#entities/paths.ts';
import { Ways } from '#kit/form/Ways.tsx';

export const NewServiceWays = ({ place, current }: { place: AppRef; current: 'blank' | 'quickstart' }) => (
  <Ways
    label="How to begin"
    ways={[
      {
        label: 'Blank',
        href: paths.newService(place),
        isCurrent: current === 'blank',
        text: 'Settings and an address. You bring the image, or a repository that builds it.',
      },
      {
        label: 'Quickstart',
        href: paths.newServiceQuickstart(place),
        isCurrent: current === 'quickstart',
        text: 'A repository with working code, its image, and a service that runs at once.',
      },
    ]}
  />
);
