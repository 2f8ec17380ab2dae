import type { Role } from "../../schema/Authentication.ts"
import type { Slot } from "../customers/ModelsRepo.ts"

export const demoPassword = "Demo-Pass-1"

export interface DemoCustomer {
  readonly name: string
  readonly hostname: string
  readonly hasReports: boolean
  readonly accountSid: string
  readonly phoneNumber: string
  readonly whatsAppNumber: string
  readonly representatives: ReadonlyArray<{
    readonly username: string
    readonly role: Role
    readonly name: string
    readonly email: string
  }>
}

export const demoCustomers: readonly [DemoCustomer, ...ReadonlyArray<DemoCustomer>] = [
  {
    name: "Acme Rentals",
    hostname: "acme.example",
    hasReports: true,
    accountSid: "ACdemo0000acme",
    phoneNumber: "+15550100",
    whatsAppNumber: "+15550101",
    representatives: [
      { username: "acme-admin", role: "Admin", name: "Acme Admin", email: "admin@acme.example" },
      { username: "acme-agent", role: "Agent", name: "Acme Agent", email: "agent@acme.example" }
    ]
  },
  {
    name: "Globex Support",
    hostname: "globex.example",
    hasReports: false,
    accountSid: "ACdemo0000globex",
    phoneNumber: "+15550110",
    whatsAppNumber: "+15550111",
    representatives: [{ username: "globex-admin", role: "Admin", name: "Globex Admin", email: "admin@globex.example" }]
  },
  {
    name: "Initech Surveys",
    hostname: "initech.example",
    hasReports: true,
    accountSid: "ACdemo0000initech",
    phoneNumber: "+15550120",
    whatsAppNumber: "+15550121",
    representatives: [
      { username: "initech-admin", role: "Admin", name: "Initech Admin", email: "admin@initech.example" }
    ]
  }
]

export const demoModels: ReadonlyArray<{
  readonly name: string
  readonly slots: ReadonlyArray<Slot>
  readonly takesImages: boolean
  readonly isDefault: boolean
}> = [
  {
    name: "gpt-4.1-mini",
    slots: ["Topic", "Webchat", "EmailText", "Call", "Spam"],
    takesImages: false,
    isDefault: true
  },
  { name: "gpt-4.1", slots: ["EmailVision"], takesImages: true, isDefault: true }
]

export const demoActions = [
  { name: "Close ticket", description: "Nothing more to do", priority: 10 },
  { name: "Draft reply", description: "Prepare an answer for a person to check", priority: 20 },
  { name: "Send reply", description: "Send the prepared answer without a person", priority: 30 },
  { name: "Escalate ticket", description: "A person must look at it", priority: 40 },
  { name: "Mark as spam", description: null, priority: 50 },
  { name: "Wait 30 seconds", description: "Give the caller time to finish", priority: 60 },
  { name: "Set status pending", description: "Waiting for the end user", priority: 70 }
]

/** An action whose name does not imply its operation. */
export const assignAction = {
  name: "Assign to the lead",
  description: "The default representative takes care of it",
  priority: 80
}
