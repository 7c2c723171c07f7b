/** The two ways to create a service, each with its own page: blank for an existing image, or from a template. */
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { paths, type AppRef } from '#entities/paths.ts';

const gets = {
  blank: 'Settings and an address. You bring the image, or a repository that builds it.',
  quickstart: 'A repository with working code, its image, and a service that runs at once.',
};

export function NewServiceWays({ place, current }: { place: AppRef; current: keyof typeof gets }) {
  return (
    <div className="stack stack-8">
      <div className="row">
        <SegmentedLinks
          label="How to begin"
          items={[
            { label: 'Blank', href: paths.newService(place), isCurrent: current === 'blank' },
            { label: 'Quickstart', href: paths.newServiceQuickstart(place), isCurrent: current === 'quickstart' },
          ]}
        />
      </div>
      <p className="quiet dense">{gets[current]}</p>
    </div>
  );
}
