/** Copyright with the current year, and the links that the platform's settings name. They open in new tabs. */
import { Footer } from '@slipway/ui/layout/Footer.tsx';
import { runtimeConfig } from '#kit/api/runtime-config.ts';

/** The design system opens only whole addresses in a new tab. */
const absolute = (url: string): string => (url.startsWith('/') ? new URL(url, location.origin).href : url);

const currentYear = (): number => new Date().getFullYear();

export function ShellFooter() {
  const { footer } = runtimeConfig();
  const links = footer.links.map(({ label, url }) => ({ label, href: absolute(url) }));
  return <Footer owner={`© ${currentYear()} ${footer.company}`} links={links} />;
}
