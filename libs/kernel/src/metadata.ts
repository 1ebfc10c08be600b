/** Key-value pairs of a client, returned as given. */
export type Metadata = Readonly<Record<string, string>>;

export const maxMetadataKeys = 20;
export const maxMetadataKeyLength = 40;
export const maxMetadataValueLength = 500;
