/** Hides user names and passwords in addresses. */
export const withoutCredentials = (text: string): string => text.replaceAll(/:\/\/[^/\s]*@/g, '://…@');
