/** Copyright with the current year, and the links from the settings, which open in new tabs. */
import { Footer } from '@slipway/ui/layout/Footer.tsx';
import { runtimeConfig } from '#kit/api/runtime-config.ts';

/** The design system opens only absolute URLs in a new tab. */
const absolute = (url: string): string => (url.startsWith('/') ? new URL(url, location.origin).href : url);

const currentYear = (): number => new Date().getFullYear();

export function ShellFooter() {
  const { footer } = runtimeConfig();
  const links = footer.links.map(({ label, url }) => ({ label, href: absolute(url) }));
  return <Footer owner={`© ${currentYear()} ${footer.company}`} links={links} />;
}
