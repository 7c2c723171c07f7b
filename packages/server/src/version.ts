/** Version of this program, in API responses and in data for later versions. */
export const version = '0.1.0';
